// The module that `require('binnacle/testing')` returns.
require('./only-node.cjs')()
const { startControlPlane } = require('../dist/main.cjs')

module.exports = { startControlPlane }
