import { expect } from 'chai'
import { deviceKinds } from '../../../../src/cluster/shared/device-kinds.ts'
import type { ClusterEnvironment } from '../../../../src/cluster/shared/environment.ts'
import { deviceKindsIfServed } from '../../../../src/cluster/shared/served-device-kinds.ts'

describe('kinds of devices that are served', () => {
  const found = (release: string, isOn: boolean, list?: () => Promise<unknown>) => {
    const warnings: string[] = []
    const env = { features: { release, enabled: () => isOn }, client: { list }, logger: { warn: (text: string) => warnings.push(text) } }
    return deviceKindsIfServed(env as unknown as ClusterEnvironment).then(kinds => ({ kinds, warnings }))
  }

  it('are those of the release, if the gate is on', async () => {
    expect((await found('1.34', true)).kinds).to.equal(deviceKinds('1.34'))
    expect((await found('1.34', false)).kinds).to.equal(undefined)
    expect((await found('1.31', true)).kinds).to.equal(undefined)
  })

  it('are looked for before 1.34, because they are served on request', async () => {
    expect((await found('1.33', true, async () => ({}))).kinds).to.equal(deviceKinds('1.33'))
    const { kinds, warnings } = await found('1.33', true, async () => Promise.reject(new Error('not found')))
    expect(kinds).to.equal(undefined)
    expect(warnings).to.deep.equal(['claims for devices are not processed: their API is not served'])
  })
})
