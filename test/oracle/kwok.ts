/**
 * Compares the results of stages with pairs of input and output in kwok's form:
 * `node --import tsx test/oracle/kwok.ts FOLDER`. A pair `F/testdata/NAME.input.yaml` and `NAME.output.yaml` is judged
 * with the stage files of `F`. Prints a line for each pair, and exits with 1 if one differs.
 */
import { isDeepStrictEqual } from 'node:util'
import { errorMessage } from '../../src/lib/error-message.ts'
import { stagePairs, stageResult } from '../support/kwok-pairs.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: test/oracle/kwok.ts FOLDER')
  process.exit(2)
}

let failed = 0
const pairs = stagePairs(folder)
for (const { name, stages, input, expected } of pairs) {
  const result = attempt(() => stageResult(stages, input))
  const passes = 'value' in result && isDeepStrictEqual(plain(result.value), plain(expected))
  if (!passes) failed++
  console.log(`${passes ? 'pass' : 'FAIL'} ${name}`)
  if (!passes)
    console.log(`  expected ${JSON.stringify(expected)}\n  actual   ${'value' in result ? JSON.stringify(result.value) : result.error}`)
}
console.log(`${pairs.length - failed} of ${pairs.length} pairs pass`)
process.exitCode = failed === 0 && pairs.length > 0 ? 0 : 1

function attempt<T>(run: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: run() }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

/** Drops prototypes, which are not compared. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
