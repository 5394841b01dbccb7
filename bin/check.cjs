// The module that `require('binnacle/check')` returns.
require('./only-node.cjs')()
const { check } = require('../dist/check.cjs')

module.exports = { check }
