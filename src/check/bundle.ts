// Exports of dist/check.cjs: the program `binnacle check`, and the module `binnacle/check`.
export { check } from './check.ts'
export { main } from './main.ts'
