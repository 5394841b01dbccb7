import { expect } from 'chai'
import { onceBootstrapped } from '../../../src/control-plane/service.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { Health } from '../../../src/server/health.ts'

describe('onceBootstrapped', () => {
  it('fails on every endpoint until done, and on readyz alone, by name, while an object is rejected', async () => {
    const refusals = new Map<string, string>()
    let isDone = false
    const health = new Health(silentLogger)
    health.add(
      onceBootstrapped(
        'poststarthook/start',
        () => isDone,
        'not made yet',
        refusals,
        what => what !== 'another part',
      ),
    )
    const reports = async (): Promise<unknown[]> =>
      Promise.all(
        (['healthz', 'livez', 'readyz'] as const).map(async endpoint => (await health.reportOne(endpoint, 'poststarthook/start'))?.text),
      )
    const early = 'internal server error: not made yet\n'
    expect(await reports()).to.deep.equal([early, early, early])
    isDone = true
    refusals.set('service kubernetes', 'services "kubernetes" is forbidden: no').set('another part', 'no')
    expect(await reports()).to.deep.equal([
      'ok',
      'ok',
      'internal server error: refused: service kubernetes: services "kubernetes" is forbidden: no\n',
    ])
    refusals.delete('service kubernetes')
    expect(await reports()).to.deep.equal(['ok', 'ok', 'ok'])
  })
})
