import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { timeBound, turnBound } from '../../support/time-bounds.ts'

const tests = join(import.meta.dirname, '../..')

/** The tests and suites of some folders whose text an expression matches, but for this file. */
const matching = (expression: RegExp, ...folders: readonly string[]): string[] =>
  folders.flatMap(folder =>
    readdirSync(join(tests, folder), { recursive: true, encoding: 'utf8' })
      .map(file => join(folder, file))
      .filter(
        file =>
          file.endsWith('.ts') && join(tests, file) !== import.meta.filename && expression.test(readFileSync(join(tests, file), 'utf8')),
      ),
  )

describe('time bounds', () => {
  const before = process.env.TIME_BOUNDS
  afterEach(() => {
    if (before === undefined) delete process.env.TIME_BOUNDS
    else process.env.TIME_BOUNDS = before
  })

  it('are asserted only if configured', () => {
    delete process.env.TIME_BOUNDS
    expect(timeBound(200)).to.equal(Number.POSITIVE_INFINITY)
    process.env.TIME_BOUNDS = '1'
    expect(timeBound(200)).to.equal(200)
  })

  it('allow long turns on a busy machine unless they are asserted', () => {
    delete process.env.TIME_BOUNDS
    expect(turnBound(200)).to.equal(2000)
    expect(turnBound(5000)).to.equal(5000)
    process.env.TIME_BOUNDS = '1'
    expect(turnBound(200)).to.equal(200)
  })

  it('are the only ones that tests have on processor time', () => {
    const measured =
      /expect\([^)\n]*(?:cpuUsage|user \+ system|processorMs|longestPiece|longestTurn)[^\n]*\.(?:below|lessThan|at\.most|within)\((?!timeBound\(|[A-Z_]+\))/
    expect(matching(measured, 'integration', 'conformance')).to.deep.equal([])
  })

  it('are not in unit tests, which measure no processor time: such tests are in test/bench', () => {
    expect(matching(/cpuUsage|threadMs|processMs|processor-cost|turn-cost|time-bounds/, 'unit')).to.deep.equal([])
  })
})
