//! Keys of model providers and of the services around them.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;
const HEX: Class = Class::HEX;

pub(super) const SHAPES: &[Shape] = &[
    shape("anthropic-key", &["sk-ant-"], &[run(URL64, 16, OPEN)]),
    shape("openrouter-key", &["sk-or-"], &[run(URL64, 20, OPEN)]),
    shape("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], &[run(URL64, 16, OPEN)]),
    // Older keys, and the many services that took over the prefix.
    shape("openai-key", &["sk-"], &[run(URL64, 20, OPEN)]).word().random(),
    shape("huggingface-token", &["hf_", "api_org_"], &[run(ALNUM, 30, 48)]).word().closed(),
    shape("replicate-token", &["r8_"], &[run(ALNUM, 32, 48)]).word().closed(),
    shape("groq-key", &["gsk_"], &[run(ALNUM, 32, OPEN)]).word(),
    shape("perplexity-key", &["pplx-"], &[run(ALNUM, 32, OPEN)]).word(),
    shape("xai-key", &["xai-"], &[run(ALNUM, 40, OPEN)]).word(),
    shape("nvidia-key", &["nvapi-"], &[run(URL64, 40, OPEN)]).word(),
    shape("cerebras-key", &["csk-"], &[run(Class::LOWER_ALNUM, 40, OPEN)]).word(),
    shape("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], &[run(Class::WORD, 32, OPEN)]),
    shape("pinecone-key", &["pcsk_"], &[run(Class::WORD, 32, OPEN)]).word(),
    shape("elevenlabs-key", &["sk_"], &[run(Class::LOWER_HEX, 48, 48)]).word().closed(),
    shape("together-key", &["tgp_v1_"], &[run(URL64, 30, OPEN)]).word(),
    shape("fireworks-key", &["fw_"], &[run(ALNUM, 22, 40)]).word().closed().random(),
    shape("tavily-key", &["tvly-"], &[run(URL64, 24, OPEN)]).word().random(),
    shape("firecrawl-key", &["fc-"], &[run(Class::LOWER_HEX, 32, 32)]).word().closed(),
    shape("jina-key", &["jina_"], &[run(URL64, 40, OPEN)]).word().random(),
    shape("e2b-key", &["e2b_"], &[run(Class::LOWER_HEX, 40, 40)]).word().closed(),
    shape("cursor-key", &["crsr_"], &[run(HEX, 40, OPEN)]).word(),
    shape("cursor-key", &["key_"], &[run(HEX, 64, 64)]).word().closed(),
    shape("wandb-key", &["wandb_v1_"], &[run(URL64, 40, OPEN)]).word(),
    shape("voyage-key", &["pa-"], &[run(URL64, 43, 43)]).word().closed().random(),
    shape("context7-key", &["ctx7sk-"], &[run(HEX.or(Class::DASH), 32, OPEN)]).word(),
    shape("langfuse-key", &["sk-lf-"], &[run(HEX.or(Class::DASH), 36, 36)]).word(),
    shape("runpod-key", &["rpa_"], &[run(ALNUM, 36, OPEN)]).word().random(),
];
