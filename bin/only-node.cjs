/** Throws on Bun and Deno: the server needs modules that only Node has. */
module.exports = function onlyNode(versions = process.versions) {
  const other = versions.bun ? 'Bun' : versions.deno ? 'Deno' : undefined
  if (other) throw new Error(`binnacle needs Node 20.18 or later: ${other} runs binnacle/cel alone`)
}
