import { expect } from 'chai'
import { silentLogger } from '../../../src/lib/log.ts'
import { Health, type HealthCheck } from '../../../src/server/health.ts'

function health(): Health {
  const made = new Health(silentLogger)
  made.add(
    { name: 'ping', check: () => {} },
    { name: 'etcd', check: async () => {} },
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check: () => {
        throw new Error('process is shutting down')
      },
    },
  )
  return made
}

describe('Health', () => {
  const cases: [string, 'healthz' | 'livez' | 'readyz', string, number, string][] = [
    ['responds with ok', 'livez', '', 200, 'ok'],
    ['lists all checks if verbose', 'livez', 'verbose', 200, '[+]ping ok\n[+]etcd ok\nlivez check passed\n'],
    [
      'lists all checks if one fails',
      'readyz',
      '',
      500,
      '[+]ping ok\n[+]etcd ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    ],
    [
      'omits excluded checks',
      'readyz',
      'exclude=shutdown&verbose',
      200,
      '[+]ping ok\n[+]etcd ok\n[+]shutdown excluded: ok\nreadyz check passed\n',
    ],
    [
      'warns about checks that cannot be excluded',
      'livez',
      'exclude=b&exclude=a&verbose',
      200,
      '[+]ping ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nlivez check passed\n',
    ],
  ]
  for (const [what, endpoint, query, status, text] of cases)
    it(what, async () => expect(await health().report(endpoint, new URLSearchParams(query))).to.deep.equal({ status, text }))

  it('shows the progress of a failing check if it is public', async () => {
    const made = new Health(silentLogger)
    made.add({
      name: 'informer-sync',
      progress: () => 'loading configmaps (12000 objects so far)',
      check: () => {
        throw new Error('not yet')
      },
    })
    const text = '[-]informer-sync failed: loading configmaps (12000 objects so far)\nreadyz check failed\n'
    expect(await made.report('readyz', new URLSearchParams())).to.deep.equal({ status: 500, text })
  })

  it('appends the note of a passing check to the verbose report', async () => {
    const made = new Health(silentLogger)
    made.add(
      { name: 'etcd', note: () => 'a watch over /registry/', check: () => {} },
      { name: 'ping', note: () => undefined, check: () => {} },
    )
    const text = '[+]etcd ok: a watch over /registry/\n[+]ping ok\nreadyz check passed\n'
    expect(await made.report('readyz', new URLSearchParams('verbose'))).to.deep.equal({ status: 200, text })
    expect(await made.report('readyz', new URLSearchParams())).to.deep.equal({ status: 200, text: 'ok' })
  })

  it('lists informative checks in the verbose report only, and never fails by them', async () => {
    const made = new Health(silentLogger)
    let asked = 0
    made.add({
      name: 'etcd-1',
      informs: true,
      check: () => {
        asked++
        throw new Error('away')
      },
    })
    expect(await made.report('readyz', new URLSearchParams())).to.deep.equal({ status: 200, text: 'ok' })
    expect(asked).to.equal(0)
    expect(await made.report('readyz', new URLSearchParams('verbose'))).to.deep.equal({
      status: 200,
      text: '[-]etcd-1 failed: reason withheld\nreadyz check passed\n',
    })
    expect(await made.reportOne('readyz', 'etcd-1')).to.deep.equal({ status: 500, text: 'internal server error: away\n' })
  })

  it('applies the timeout of a check', async () => {
    const made = new Health(silentLogger)
    made.add({ name: 'etcd', timeoutMs: 1, check: () => new Promise(() => {}) })
    expect(await made.reportOne('readyz', 'etcd')).to.deep.equal({ status: 500, text: 'internal server error: the check took too long\n' })
  })

  it('applies the grace period to startup checks on livez only', async () => {
    let now = 0
    const made = new Health(silentLogger, { graceMs: 10, now: () => now })
    made.add({
      name: 'begun',
      atStart: true,
      check: () => {
        throw new Error('not yet')
      },
    })
    const states = async () =>
      Promise.all((['healthz', 'livez', 'readyz'] as const).map(async one => (await made.report(one, new URLSearchParams())).status))
    expect(await states()).to.deep.equal([500, 200, 500])
    now = 10
    expect(await states()).to.deep.equal([500, 500, 500])
  })

  it('returns the first check that fails, and runs a suspect before all others', async () => {
    const failing = new Set(['etcd', 'late'])
    let ran: string[] = []
    const made = new Health(silentLogger)
    for (const [name, informs] of [
      ['ping', false],
      ['note', true],
      ['etcd', false],
      ['late', false],
    ] as const)
      made.add({
        name,
        informs,
        check: async () => {
          ran.push(name)
          if (failing.has(name) || informs) throw new Error('not yet')
        },
      })
    const failingAfter = async (...ended: readonly string[]): Promise<[string | undefined, string[]]> => {
      for (const name of ended) failing.delete(name)
      ran = []
      suspect = await made.failing('readyz', suspect)
      return [suspect?.name, ran]
    }
    let suspect: HealthCheck | undefined
    expect(await failingAfter()).to.deep.equal(['etcd', ['ping', 'etcd']])
    expect(await failingAfter()).to.deep.equal(['etcd', ['etcd']])
    expect(await failingAfter('etcd')).to.deep.equal(['late', ['etcd', 'ping', 'etcd', 'late']])
    expect(await failingAfter('late')).to.deep.equal([undefined, ['late', 'ping', 'etcd', 'late']])
  })

  it('reports a single check', async () => {
    expect(await health().reportOne('readyz', 'etcd')).to.deep.equal({ status: 200, text: 'ok' })
    expect(await health().reportOne('readyz', 'shutdown')).to.deep.equal({
      status: 500,
      text: 'internal server error: process is shutting down\n',
    })
    expect(await health().reportOne('livez', 'shutdown')).to.equal(undefined)
  })
})
