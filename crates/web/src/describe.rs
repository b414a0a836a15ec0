//! The table of routes as an OpenAPI document.

use serde_json::{Map, Value, json};

use crate::{Field, Holds, Rights, Route, Takes, Verb};

/// Describes the rows for programs. Answers are JSON documents whose fields are those of the commands' `--json`.
pub fn openapi(title: &str, version: &str, routes: &[Route]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let verb = match route.verb {
            Verb::Get => "get",
            Verb::Post => "post",
        };
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(verb.into(), operation(route));
        }
    }
    let bearer = |about: &str| json!({ "type": "http", "scheme": "bearer", "description": about });
    json!({
        "openapi": "3.1.0",
        "info": { "title": title, "version": version },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "person": bearer("The token of the page: the file var/cadence/page.token of the home."),
                "worker": bearer("The token of a run: $SUBCORTEX_TOKEN in the environment of a worker."),
            },
            "schemas": {
                "Refusal": { "type": "object", "properties": { "error": { "type": "string" } }, "required": ["error"] },
            },
        },
    })
}

fn operation(route: &Route) -> Value {
    let places = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let places = places
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let query = route.query.iter().map(|field| {
        json!({ "name": field.name, "in": "query", "required": field.required, "description": field.about, "schema": schema(field) })
    });
    let mut operation = json!({
        "summary": route.about,
        "operationId": format!("{}{}", route.verb.as_str().to_lowercase(), route.path.replace(['/', '.'], "_").replace(['{', '}'], "")),
        "parameters": places.chain(query).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "It is so, or it is done." },
            "default": { "description": "It was not done, and why.", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Refusal" } } } },
        },
    });
    if let Some(fields) = operation.as_object_mut() {
        match route.rights {
            Rights::Anybody => {}
            Rights::Worker => drop(fields.insert("security".into(), json!([{ "worker": [] }]))),
            Rights::Person => drop(fields.insert("security".into(), json!([{ "person": [] }]))),
        }
        if let Some(responses) = fields.get_mut("responses").and_then(Value::as_object_mut) {
            let stranger = "A token that is missing or wrong, another host, or another page.";
            responses
                .insert("403".into(), json!({ "description": stranger, "content": { "text/plain": {} } }));
        }
        if let Some(body) = body(route) {
            fields.insert("requestBody".into(), body);
        }
    }
    operation
}

fn body(route: &Route) -> Option<Value> {
    let (required, schema) = match route.takes {
        Takes::Nothing => return None,
        Takes::Raw => (false, json!({})),
        Takes::Object(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|field| (field.name.to_owned(), described(field))).collect();
            let required: Vec<&str> =
                fields.iter().filter(|field| field.required).map(|field| field.name).collect();
            let schema = json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
            (!required.is_empty(), schema)
        }
    };
    Some(json!({ "required": required, "content": { "application/json": { "schema": schema } } }))
}

fn described(field: &Field) -> Value {
    let mut schema = schema(field);
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".into(), field.about.into());
    }
    schema
}

fn schema(field: &Field) -> Value {
    match field.holds {
        Holds::Text => json!({ "type": "string" }),
        Holds::Number => json!({ "type": "integer", "minimum": 0 }),
    }
}
