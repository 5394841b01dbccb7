// What `require('binnacle')` gives.
require('./only-node.cjs')()
const { startServer } = require('../dist/main.cjs')

module.exports = { startServer }
