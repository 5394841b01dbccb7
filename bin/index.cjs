// What `require('binnacle')` gives.
const { startServer } = require('../dist/main.cjs')

module.exports = { startServer }
