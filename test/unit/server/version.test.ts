import { expect } from 'chai'
import { versionInfo } from '../../../src/server/version.ts'

const runtime = { version: 'v20.18.0', platform: 'linux', arch: 'x64' }

describe('versionInfo', () => {
  it('has the version of the emulated release', () =>
    expect(versionInfo(runtime, { release: '1.33', compatibility: '1.32' })).to.include({
      major: '1',
      minor: '33',
      emulationMajor: '1',
      emulationMinor: '33',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '32',
      gitVersion: 'v1.33.0+binnacle',
      platform: 'linux/amd64',
    }))

  it('has no emulation versions before 1.33', () => {
    const info = versionInfo(runtime, { release: '1.32', compatibility: '1.31' })
    expect(info).to.include({ minor: '32', gitVersion: 'v1.32.0+binnacle' })
    expect(Object.keys(info).filter(name => /emulation|Compat/.test(name))).to.deep.equal([])
  })
})
