import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError } from '../../lib/arguments.ts'
import { readConfigFileSync } from '../../lib/bounded-input.ts'
import type { TestProgram } from './child-test.ts'
import type { Killable } from './interrupt.ts'

/** Script that `go test -exec` runs instead of a test binary: keeps the binary, its arguments and its directory. */
const KEEP = `#!/bin/sh
kept=$(mktemp -d "$BINNACLE_EXPLORE_DIRECTORY/test-XXXXXX") || exit 1
cp "$1" "$kept/test.bin" || exit 1
basename "$1" > "$kept/name"
shift
pwd > "$kept/cwd"
for argument in "$@"; do printf '%s\\n' "$argument"; done > "$kept/args"
`

/** Whether a command line is `go test` or `go -C DIRECTORY test`. */
export const isGoTest = (command: readonly string[]): boolean =>
  command[0]?.split('/').at(-1) === 'go' && command[testAt(command)] === 'test'

/** Index of the word `test`. */
const testAt = ([, flag]: readonly string[]): number => (flag === '-C' ? 3 : flag?.startsWith('-C=') ? 2 : 1)

export interface Compilation {
  /** Called with the output of a compiler that fails. */
  readonly err: (text: string) => void
  /** Programs that are killed if this one is. */
  readonly running: Set<Killable>
}

/**
 * Compiles the tests of a `go test` command line once, and returns the test binaries with their arguments and
 * directories. Rejects with an ArgumentError if they do not compile.
 */
export async function compiledGoTests(
  command: readonly string[],
  directory: string,
  { err, running }: Compilation,
): Promise<TestProgram[]> {
  const [program = 'go'] = command
  const before = command.slice(1, testAt(command))
  const args = command.slice(testAt(command) + 1)
  const script = join(directory, 'keep')
  writeFileSync(script, KEEP)
  chmodSync(script, 0o700)
  const env = { ...process.env, BINNACLE_EXPLORE_DIRECTORY: directory }
  const child = spawn(program, [...before, 'test', '-count=1', `-exec=${script}`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add({ kill: () => void child.kill('SIGKILL') })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', error => reject(new ArgumentError(`${program}: ${error.message}`)))
    child.once('close', resolve)
  })
  if (code !== 0) {
    err(output)
    throw new ArgumentError('the tests do not compile')
  }
  const programs = readdirSync(directory)
    .filter(name => name.startsWith('test-'))
    .map(name => keptProgram(join(directory, name)))
  if (programs.length === 0) throw new ArgumentError('there are no tests to run')
  return programs
}

function keptProgram(kept: string): TestProgram {
  const read = (name: string): string => readConfigFileSync(join(kept, name)).toString().trimEnd()
  return { command: join(kept, 'test.bin'), args: read('args').split('\n'), cwd: read('cwd'), name: read('name') }
}
