// The module that `require('binnacle/testing')` returns.
require('./only-node.cjs')()
const server = require('../dist/main.cjs')

const { startControlPlane } = server
let explorer

/** Its bundle is loaded at the first call. */
async function explore(...given) {
  explorer ??= require('../dist/explore.cjs').explorer(server)
  return explorer(...given)
}

module.exports = { startControlPlane, explore }
