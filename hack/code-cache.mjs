// Starts the built server as bin/binnacle does, stops it $SETTLE_MS milliseconds after it serves, and writes what V8
// has compiled by then to $CODE_CACHE, by default dist/main.cache. The file fits this version of Node alone.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { load } from '../bin/load.mjs'

const dist = join(import.meta.dirname, '..', 'dist')
const { CODE_CACHE = join(dist, 'main.cache'), SETTLE_MS = '200' } = process.env
const { script, run } = load(dist)
const tag = cachedDataVersionTag()

const write = process.stderr.write.bind(process.stderr)
let stopped = false
process.stderr.write = (chunk, ...rest) => {
  if (!stopped && String(chunk).includes(' serving ')) {
    stopped = true
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), Number(SETTLE_MS))
  }
  return write(chunk, ...rest)
}
process.on('exit', () => {
  // The cache fits only the flags of V8 that it was made with, and the program sets this one while it runs.
  setFlagsFromString('--heap-growing-percent=0')
  if (cachedDataVersionTag() === tag) writeFileSync(CODE_CACHE, script.createCachedData())
  else {
    console.error('the program sets flags of V8 that its cached code would not fit')
    process.exitCode = 1
  }
})
run().main()
