// What `require('binnacle/testing')` gives.
require('./only-node.cjs')()
const { startControlPlane } = require('../dist/main.cjs')

module.exports = { startControlPlane }
