//! What the server does in one step each.
//!
//! No script can stop in the middle: a server that is full refuses a script before its first write, if that write needs room. New tasks are
//! refused so. Everything else is what makes room in the end, and must not be: it begins with a write that needs none (`HDEL` of
//! a field that is not there).

/// Puts a task onto the stream, once however often it is asked; nothing where its name is in use.
///
/// Keys: tasks, names, post. Arguments: name, body, by, how long the post is remembered in seconds, channel.
pub(crate) const POST: &str = "
local posted = redis.call('GET', KEYS[3])
if posted then return posted end
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known and #redis.call('XRANGE', KEYS[1], known, known) > 0 then return false end
local id = redis.call('XADD', KEYS[1], '*', 'name', ARGV[1], 'body', ARGV[2], 'by', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], id)
redis.call('SET', KEYS[3], id, 'EX', ARGV[4])
redis.call('PUBLISH', ARGV[5], id)
return id
";

/// Takes tasks: first those whose lease is over, then new ones. Gives the epoch, the tasks, and in how many milliseconds the next
/// lease is over.
///
/// Keys: tasks, leases, holders, attempts, takeovers, token, epoch. Arguments: group, machine, lease in milliseconds, how many,
/// an epoch if there is none.
pub(crate) const TAKE: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local group, machine, lease, want = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('HDEL', KEYS[3], '')
local taken = {}
local function name_of(fields)
  for place = 1, #fields, 2 do
    if fields[place] == 'name' then return fields[place + 1] end
  end
  return ''
end
local function take(entry)
  local id = entry[1]
  local holder = redis.call('INCR', KEYS[6]) .. ':' .. machine .. ':' .. name_of(entry[2])
  redis.call('HSET', KEYS[3], id, holder)
  redis.call('ZADD', KEYS[2], now + lease, id)
  local attempts = redis.call('HGET', KEYS[4], id) or '0'
  local takeovers = redis.call('HGET', KEYS[5], id) or '0'
  table.insert(taken, {id, holder, entry[2], attempts, takeovers})
end
if redis.call('EXISTS', KEYS[7]) == 0 then redis.call('SET', KEYS[7], ARGV[5]) end
local lapsed = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'WITHSCORES', 'LIMIT', 0, want)
for place = 1, #lapsed, 2 do
  local id = lapsed[place]
  local claimed = redis.pcall('XCLAIM', KEYS[1], group, machine, 0, id, 'FORCE')
  if claimed.err or #claimed == 0 or not claimed[1] then
    redis.call('ZREM', KEYS[2], id)
    for _, key in ipairs({KEYS[3], KEYS[4], KEYS[5]}) do redis.call('HDEL', key, id) end
  else
    if lapsed[place + 1] ~= '0' then redis.call('HINCRBY', KEYS[5], id, 1) end
    take(claimed[1])
  end
end
if #taken < want then
  local function read()
    return redis.pcall('XREADGROUP', 'GROUP', group, machine, 'COUNT', want - #taken, 'STREAMS', KEYS[1], '>')
  end
  local new = read()
  if type(new) == 'table' and new.err then
    redis.call('XGROUP', 'CREATE', KEYS[1], group, '0', 'MKSTREAM')
    new = read()
    if type(new) == 'table' and new.err then return new end
  end
  if new then
    for _, entry in ipairs(new[1][2]) do take(entry) end
  end
end
local next = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return {redis.call('GET', KEYS[7]), taken, next[2] and math.ceil(next[2] - now) or -1}
";

/// Renews leases; says the epoch, and of each task 1 if it is still its holder's, 0 if it is not, 2 if nobody knows it.
///
/// Keys: tasks, leases, holders, attempts, epoch. Arguments: lease in milliseconds, beginning of the keys of finished tasks, then
/// entry, holder and failed attempts of each.
pub(crate) const RENEW: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', KEYS[3], '')
local said = {}
for place = 3, #ARGV, 3 do
  local id, holder, attempts = ARGV[place], ARGV[place + 1], ARGV[place + 2]
  local known = redis.call('HGET', KEYS[3], id)
  if known == holder then
    redis.call('ZADD', KEYS[2], now + ARGV[1], id)
    if attempts == '0' then redis.call('HDEL', KEYS[4], id) else redis.call('HSET', KEYS[4], id, attempts) end
    table.insert(said, 1)
  elseif known or redis.call('EXISTS', ARGV[2] .. id) == 1 or #redis.call('XRANGE', KEYS[1], id, id) > 0 then
    table.insert(said, 0)
  else
    table.insert(said, 2)
  end
end
return {redis.call('GET', KEYS[5]) or '', said}
";

/// Ends tasks whose results are durable; says of each 1 if it counts, and 0 if it is late.
///
/// Keys: tasks, leases, holders, attempts, takeovers, names. Arguments: group, beginning of the keys of finished tasks, how long
/// those are kept in seconds, then entry, holder, name and result of each.
pub(crate) const FINISH: &str = "
local said = {}
for place = 4, #ARGV, 4 do
  local id, holder, name, result = ARGV[place], ARGV[place + 1], ARGV[place + 2], ARGV[place + 3]
  local mark = holder .. '\\n'
  if redis.call('HGET', KEYS[3], id) == holder then
    redis.call('XACK', KEYS[1], ARGV[1], id)
    redis.call('XDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
    for _, key in ipairs({KEYS[3], KEYS[4], KEYS[5]}) do redis.call('HDEL', key, id) end
    if redis.call('HGET', KEYS[6], name) == id then redis.call('HDEL', KEYS[6], name) end
    redis.call('SET', ARGV[2] .. id, mark .. result, 'EX', ARGV[3])
    table.insert(said, 1)
  else
    local done = redis.call('GET', ARGV[2] .. id)
    table.insert(said, done and string.sub(done, 1, #mark) == mark and 1 or 0)
  end
end
return said
";

/// Gives tasks back, so that anybody may take them at once.
///
/// Keys: leases, holders, attempts. Arguments: channel, then entry, holder and failed attempts of each.
pub(crate) const GIVE_BACK: &str = "
for place = 2, #ARGV, 3 do
  local id, holder, attempts = ARGV[place], ARGV[place + 1], ARGV[place + 2]
  if redis.call('HGET', KEYS[2], id) == holder then
    redis.call('HDEL', KEYS[2], id)
    redis.call('ZADD', KEYS[1], 0, id)
    if attempts ~= '0' then redis.call('HSET', KEYS[3], id, attempts) end
  end
end
redis.call('PUBLISH', ARGV[1], 'back')
return 1
";

/// Sets an entry aside that nobody can read: it stays on the stream, and nobody is given it again.
///
/// Keys: leases, holders, aside. Arguments: entry, holder, why.
pub(crate) const SET_ASIDE: &str = "
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
return 1
";

/// A sign of life; gives all machines with the milliseconds since theirs.
///
/// Keys: machines. Arguments: machine (empty: only look), who it is, after how many milliseconds one is forgotten.
pub(crate) const SIGN_OF_LIFE: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] ~= '' then
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
end
local all = redis.call('HGETALL', KEYS[1])
local said = {}
for place = 1, #all, 2 do
  local seen, who = string.match(all[place + 1], '^(%d+) (.*)$')
  local ago = seen and now - seen
  if not ago or ago > tonumber(ARGV[3]) then
    if ARGV[1] ~= '' then redis.call('HDEL', KEYS[1], all[place]) end
  else
    table.insert(said, {all[place], ago, who})
  end
end
return said
";
