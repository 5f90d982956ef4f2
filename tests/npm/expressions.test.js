// Values of expressions as computed by JavaScript, which the tests of the content crate expect.
//
// `node --test` compares the table with the results of this engine. With UPDATE_EXPRESSIONS set, it
// writes the table.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

import { operands, operators, written } from './lib/expressions.js';

const path = new URL("../../crates/expression/tests/expressions.json", import.meta.url);

const context = {
    visitor: {
        claims: {
            plan: "pro",
            groups: ["admin", "écrivain", "beta"],
            age: 42,
            verified: true,
            nothing: null,
            nested: { list: [{ id: 1, on: true }, { id: 2, on: false }], "with-dash": "x" },
            unsigned: { language: "de" },
        },
    },
    space: { vars: { version: "5.8", major: 5, beta: false, emoji: "a😀b", spaced: "  x y  " } },
    page: { vars: { level: "2", empty: "", zero: 0 } },
};

/** Formats a value as ASCII text, identically on all engines. */
function describe(value) {
    if (value === undefined) return "undefined";
    if (Array.isArray(value)) return `[${Array.from(value, describe).join(",")}]`;
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (typeof value === "object" && value !== null) return "{}";
    if (typeof value !== "string") return String(value);
    const unit = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return `"${value.replace(/[^ -~]|["\\]/g, unit)}"`;
}

function evaluate(expression) {
    try {
        return describe(vm.runInNewContext(`"use strict";(${expression}\n)`, structuredClone(context)));
    } catch {
        return "error";
    }
}

function table() {
    const pairs = operators.flatMap((operator) =>
        operands.flatMap((left) => operands.map((right) => `${left} ${operator} ${right}`)),
    );
    return [...written, ...pairs].map((expression) => [expression, evaluate(expression)]);
}

test("the table of expressions is what JavaScript says", () => {
    const cases = table();
    const ascii = (text) =>
        text.replace(/[^\n -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const lines = cases.map((one) => JSON.stringify(one)).join(",\n");
    const text = ascii(`{"context": ${JSON.stringify(context)},\n"cases": [\n${lines}\n]}\n`);
    if (process.env.UPDATE_EXPRESSIONS) writeFileSync(path, text);
    assert.equal(readFileSync(path, "utf8"), text);
});
