// Loads a bundle of dist with the code that V8 has compiled before, where there is such and it fits this Node and its flags.
import { isAscii } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const HEAD = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const TAIL = Buffer.from('\n})')

/** `isProgram`: this process is there for it alone, and was started by bin/binnacle. */
export function load(dist, name = 'main', isProgram = true) {
  const filename = join(dist, `${name}.cjs`)
  const source = textOf(Buffer.concat([HEAD, readFileSync(filename), TAIL]))
  // The cache fits only the flags of V8 that it was made with. V8 has set up the stack by now: this changes the flag alone.
  if (isProgram) setFlagsFromString('--stack-size=984')
  const cachedData = read(join(dist, `${name}.cache`))
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) })
  const run = () => {
    const module = { exports: {} }
    script.runInThisContext()(module.exports, createRequire(filename), module, filename, dirname(filename))
    return module.exports
  }
  return { script, run }
}

/** In Latin-1 Node keeps a long text outside V8's heap, where it is neither copied nor counted: `hack/build.ts` sees to it that all of it is ASCII. */
const textOf = bytes => (isAscii(bytes) ? bytes.latin1Slice() : bytes.utf8Slice())

function read(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
