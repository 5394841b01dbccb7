import { expect } from 'chai'
import { MochaSummary } from '../../../hack/support/mocha-summary.ts'

const RED = '\x1b[31m'
const GREEN = '\x1b[32m'
const PLAIN = '\x1b[0m'

describe('hack/mocha-summary', () => {
  it('adds up the counts of runs, and prints their failures after them', () => {
    const summary = new MochaSummary()
    const printed: (string | undefined)[] = []
    const first = [
      '',
      '  a',
      '    ✔ passes',
      '    1) fails',
      '',
      '',
      '  2 passing (4m)',
      '  3 pending',
      '  1 failing',
      '',
      '  1) a',
      '       fails:',
      '     Error: no',
    ]
    const second = ['  b', '    ✔ passes 12 passing', `${GREEN}  40 passing${PLAIN} (3s)`, `${RED}  1 failing${PLAIN}`, '', '  1) b', '']
    for (const run of [first, second]) {
      summary.begin()
      for (const line of run) printed.push(summary.take(line))
    }
    expect(printed.filter(line => line !== undefined)).to.deep.equal([
      '',
      '  a',
      '    ✔ passes',
      '    1) fails',
      '',
      '',
      '  b',
      '    ✔ passes 12 passing',
    ])
    expect(summary.text(125_400)).to.equal(
      '\n  42 passing (2m 5s)\n  3 pending\n  2 failing\n\n  1) a\n       fails:\n     Error: no\n\n  1) b\n',
    )
  })

  it('omits counts of zero', () => {
    const summary = new MochaSummary()
    summary.begin()
    summary.take('  7 passing (12ms)')
    expect(summary.text(900)).to.equal('\n  7 passing (0m 1s)\n')
  })
})
