// The module that `require('binnacle')` returns.
require('./only-node.cjs')()
const { startServer } = require('../dist/main.cjs')

module.exports = { startServer }
