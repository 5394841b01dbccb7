// What `require('binnacle/testing')` gives.
const { startControlPlane } = require('../dist/main.cjs')

module.exports = { startControlPlane }
