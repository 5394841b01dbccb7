// Loads dist/main.cjs with the code that V8 has compiled before, where that fits this Node.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

export function load(dist) {
  const filename = join(dist, 'main.cjs')
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`
  const cachedData = read(join(dist, 'main.cache'))
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) })
  const run = () => {
    const module = { exports: {} }
    script.runInThisContext()(module.exports, createRequire(filename), module, filename, dirname(filename))
  }
  return { script, run }
}

function read(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
