// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The documents that the server is asked about. Of JSON files only those with the names that the manifest lists, so that the
// extension leaves all others alone.
const { contributes } = require("./package.json");

const names = contributes.jsonValidation.flatMap(({ fileMatch }) => fileMatch);
const pattern = `**/{${names.join(",")}}`;

const documents = [
  { scheme: "file", language: "rpl" },
  { scheme: "untitled", language: "rpl" },
  { scheme: "file", language: "zeinfo" },
  { scheme: "file", language: "json", pattern },
  { scheme: "file", language: "jsonc", pattern },
];

module.exports = { documents, names };
