// Starts the built server as bin/binnacle does, stops it as soon as it serves, and writes what V8 has compiled by then to dist/main.cache.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../bin/load.mjs'

const dist = join(import.meta.dirname, '..', 'dist')
const { script, run } = load(dist)

const write = process.stderr.write.bind(process.stderr)
let stopped = false
process.stderr.write = (chunk, ...rest) => {
  if (!stopped && String(chunk).includes(' serving ')) {
    stopped = true
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 200)
  }
  return write(chunk, ...rest)
}
process.on('exit', () => writeFileSync(join(dist, 'main.cache'), script.createCachedData()))
run()
