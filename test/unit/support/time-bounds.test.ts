import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { timeBound } from '../../support/time-bounds.ts'

const tests = join(import.meta.dirname, '../..')

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

  it('are the only ones that tests have on processor time', () => {
    const measured =
      /expect\([^)\n]*(?:cpuUsage|user \+ system|processorMs|longestPiece|longestTurn)[^\n]*\.(?:below|lessThan|at\.most|within)\((?!timeBound\(|[A-Z_]+\))/
    const found = ['unit', 'integration', 'conformance'].flatMap(folder =>
      readdirSync(join(tests, folder), { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.ts') && measured.test(readFileSync(join(tests, folder, file), 'utf8')))
        .map(file => join(folder, file)),
    )
    expect(found).to.deep.equal([])
  })
})
