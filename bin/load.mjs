// Loads a bundle of dist, with the code cache of an earlier compilation if there is one for this Node and its flags.
import { isAscii } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import onlyNode from './only-node.cjs'

const HEAD = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const TAIL = Buffer.from('\n})')

const COMMANDS = [
  'at',
  'branch',
  'console',
  'convert',
  'diff',
  'export',
  'import',
  'log',
  'merge',
  'open',
  'show',
  'snapshot',
  'undo',
  'upgrade-report',
  'verify',
  'why',
]

/**
 * The bundle that a command line is for. Several workers have a primary, which is a program of its own: it tells a
 * worker so by a variable. Commands on manifests and clusters serve nothing: they are a program of their own, too.
 * `explore` serves with the bundle of the server, which it gets from its caller.
 */
export function programOf([, , command, ...more], { BINNACLE_WORKER }) {
  if (command === 'explore') return 'explore'
  if (COMMANDS.includes(command)) return 'commands'
  if (command === 'check') return 'check'
  const several = BINNACLE_WORKER === undefined && [command, ...more].some(argument => /^--workers(?:$|=(?!1$))/.test(argument))
  return several ? 'primary' : 'main'
}

/** `isProgram`: this process is there for it alone, and was started by bin/binnacle. */
export function load(dist, name = 'main', isProgram = true) {
  onlyNode()
  const filename = join(dist, `${name}.cjs`)
  const bytes = readFileSync(filename)
  if (isProgram) setProgramFlags(name)
  const cachedData = cachesOf(name, process.argv).reduce((found, cache) => found ?? read(join(dist, cache)), undefined)
  return compile({ filename, bytes, cachedData, require: createRequire(filename) })
}

/**
 * Sets flags of V8 for a process that runs nothing else. A code cache fits only the flags that it was made with, so they
 * are set before the bundle is compiled.
 */
export function setProgramFlags(name) {
  // V8 has set up the stack by now: this changes the flag alone.
  setFlagsFromString('--stack-size=984')
  // Otherwise V8 allocates objects in the old generation if earlier ones of their kind survived, as those of writes that
  // wait for a commit do. Dead objects there keep all that they refer to until the next full collection: one such object
  // of each request promotes the whole request, which costs a GET a fifth.
  setFlagsFromString('--no-allocation-site-pretenuring')
  // A check ends after a second or two. By default, a quarter of its processor time goes into optimizing functions that
  // are then hardly called. This is twice the default of Node 20.
  if (name === 'check') setFlagsFromString('--interrupt-budget=270336')
}

/**
 * The code caches of a command line, the best one first. A cluster runs much code that a server alone does not, and
 * that its cache does not have.
 */
const cachesOf = (name, [, , ...given]) => [...(name === 'main' && runsCluster(given) ? ['main-cluster.cache'] : []), `${name}.cache`]

const runsCluster = given =>
  given.some((argument, i) => argument === '--profile=cluster' || (argument === '--profile' && given[i + 1] === 'cluster'))

/** `require` is what the bundle gets others by. */
export function compile({ filename, bytes, cachedData, require }) {
  const script = new Script(textOf(Buffer.concat([HEAD, bytes, TAIL])), { filename, ...(cachedData && { cachedData }) })
  const run = () => {
    const module = { exports: {} }
    script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
    return module.exports
  }
  return { script, run }
}

/**
 * Node keeps a long Latin-1 string outside V8's heap, neither copied nor counted. `hack/build.ts` makes the bundle
 * ASCII.
 */
const textOf = bytes => (isAscii(bytes) ? bytes.latin1Slice() : bytes.utf8Slice())

function read(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
