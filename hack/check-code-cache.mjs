// Checks manifests with the built `binnacle check`, and writes what V8 has compiled by then to $CODE_CACHE, by default
// dist/check.cache. The file fits this version of Node alone.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { load } from '../bin/load.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const { CODE_CACHE = join(dist, 'check.cache') } = process.env
const { script, run } = load(dist, 'check')
const tag = cachedDataVersionTag()

process.argv.splice(2, Number.POSITIVE_INFINITY, 'check', '-f', join(root, 'test/fixtures/check/oracle'))
process.stdout.write = () => true
process.on('exit', code => {
  if (code !== 1) {
    console.error(`the check of test/fixtures/check/oracle ended with status ${code}, not with findings`)
    process.exitCode = 2
  } else if (cachedDataVersionTag() === tag) {
    writeFileSync(CODE_CACHE, script.createCachedData())
    process.exitCode = 0
  } else {
    console.error('the program sets flags of V8 that its cached code would not fit')
    process.exitCode = 2
  }
})
run().main()
