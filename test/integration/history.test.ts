import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const NOON = new Date('2030-05-01T12:00:00Z')
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const configMap = (name: string, colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { colour },
})

describe('history', () => {
  let plane: ControlPlane

  const start = async (flags: Record<string, string>, clock: Date | 'running' = NOON): Promise<void> => {
    plane = await startControlPlane({ flags, clock })
    // Controllers write what they begin with.
    await plane.settled(300)
  }
  afterEach(() => plane.stop())

  const ask = async (path: string): Promise<AnyObject> => {
    const { status, body } = await plane.request('GET', path)
    return { ...(body as AnyObject), code: status }
  }
  const put = async (colour: string): Promise<string> => {
    const { body } = await plane.request('PUT', `${CONFIG_MAPS}/a`, { body: configMap('a', colour) })
    return String((body as AnyObject).metadata.resourceVersion)
  }

  it('resolves a moment to the newest revision at that time', async () => {
    await start({ history: '1h' })
    const begin = await ask('/binnacle/v1/moments')
    expect(begin.oldest.time).to.equal('2030-05-01T12:00:00.000Z')
    await plane.request('POST', CONFIG_MAPS, { body: configMap('a', 'red') })
    await plane.advance('10m')
    const first = await put('blue')
    await plane.advance('10m')
    const second = await put('green')
    const at = async (moment: string) => {
      const { revision, time, code } = await ask(`/binnacle/v1/moments?at=${encodeURIComponent(moment)}`)
      return code === 200 ? { revision, time } : code
    }
    const blue = { revision: first, time: '2030-05-01T12:10:00.000Z' }
    for (const moment of ['10m', '5m30s', '1s', '10m ago', '2030-05-01T12:10:00Z', '2030-05-01T14:19:59.999+02:00', first])
      expect(await at(moment), moment).to.deep.equal(blue)
    for (const moment of ['', 'now', '0s', second])
      expect(await at(moment), moment).to.deep.equal({ revision: second, time: '2030-05-01T12:20:00.000Z' })
    for (const moment of ['yesterday', '10', '10m\u0000', '-5m', '0', '9'.repeat(400), '2030-13-01T00:00:00Z', String(Number(second) + 1)])
      expect([400, 410], moment).to.include(await at(moment))
    expect(await at('1h')).to.equal(410)
    expect((await ask('/binnacle/v1/moments?at=1h')).message).to.equal(
      `2030-05-01T11:20:00.000Z is no longer kept: history begins at 2030-05-01T12:00:00.000Z, with revision ${begin.oldest.revision}`,
    )
  })

  it('is kept for its time, and no longer', async () => {
    await start({ history: '1h' })
    const { body } = await plane.request('POST', CONFIG_MAPS, { body: configMap('a', 'red') })
    const red = String((body as AnyObject).metadata.resourceVersion)
    await plane.advance('30m')
    const blue = await put('blue')
    await plane.advance('55m')
    await plane.advance('4m50s')
    expect(Number((await ask('/binnacle/v1/moments?at=65m')).revision)).to.be.within(Number(red), Number(blue) - 1)
    await plane.advance('20s')
    await plane.until(async () => (await ask('/binnacle/v1/moments?at=65m')).code === 410)
    expect((await ask(`/binnacle/v1/moments?at=${red}`)).code).to.equal(410)
    // It is what there was an hour ago.
    for (const moment of ['1h', '45m', '1s', blue]) expect((await ask(`/binnacle/v1/moments?at=${moment}`)).revision, moment).to.equal(blue)
    await plane.advance('20h')
    expect((await ask('/binnacle/v1/moments?at=10h')).revision).to.equal(blue)
    expect((await ask(`${CONFIG_MAPS}/a`)).data.colour).to.equal('blue')
  })

  it('stays within its size, which metrics report', async () => {
    await start({ history: '24h', 'history-max-bytes': '100Ki' })
    await plane.request('POST', CONFIG_MAPS, { body: configMap('a', 'red') })
    for (let i = 0; i < 30; i++) await put(String(i).repeat(5000))
    const metric = async (name: string): Promise<number> => {
      const { body } = await plane.request('GET', '/metrics')
      return Number(new RegExp(`^binnacle_history_${name} (.*)$`, 'm').exec(String(body))?.[1])
    }
    expect(await metric('bytes')).to.be.above(150_000)
    await plane.advance('10s')
    await plane.until(async () => (await metric('bytes')) < 102_400)
    expect(await metric('bytes')).to.be.above(60_000)
    const { revision, oldest } = await ask('/binnacle/v1/moments')
    expect(await metric('revisions')).to.equal(Number(revision) - Number(oldest.revision) + 1)
    expect(await metric('oldest_timestamp_seconds')).to.equal(NOON.getTime() / 1000)
  })

  it('is off by default', async () => {
    await start({})
    expect((await ask('/binnacle/v1/moments')).code).to.equal(404)
    const { body } = await plane.request('GET', '/metrics')
    expect(String(body)).not.to.include('binnacle_history')
  })
})
