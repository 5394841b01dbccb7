import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ManifestPluginName, manifestDirectories } from '../../../../src/admission/manifests/manifest-directories.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'

const KINDS: Readonly<Record<ManifestPluginName, string>> = {
  MutatingAdmissionPolicy: 'MutatingAdmissionPolicyConfiguration',
  MutatingAdmissionWebhook: 'WebhookAdmissionConfiguration',
  ValidatingAdmissionPolicy: 'ValidatingAdmissionPolicyConfiguration',
  ValidatingAdmissionWebhook: 'WebhookAdmissionConfiguration',
}

describe('directories of manifests', () => {
  const directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  const file = join(directory, 'file')
  before(() => writeFileSync(file, ''))
  after(() => rmSync(directory, { recursive: true }))

  const read = (release: Release, plugin: ManifestPluginName, staticManifestsDir: string, gates: Record<string, boolean> = {}) =>
    manifestDirectories(
      new Map([
        [plugin, Buffer.from(JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: KINDS[plugin], staticManifestsDir }))],
      ]),
      parseGates(release, new Map(Object.entries(gates))),
    )

  for (const plugin of Object.keys(KINDS) as ManifestPluginName[])
    it(`are configured for ${plugin}`, async () => {
      expect([...(await read('1.37', plugin, directory))]).to.deep.equal([[plugin, directory]])
    })

  it('are optional', async () => {
    expect((await read('1.37', 'MutatingAdmissionWebhook', '')).size).to.equal(0)
    expect((await manifestDirectories(new Map(), parseGates('1.37'))).size).to.equal(0)
  })

  const refused: [why: string, release: Release, directory: () => string, message: string][] = [
    [
      'in 1.36, whose gate is off',
      '1.36',
      () => directory,
      'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
    ],
    ['in 1.35', '1.35', () => directory, 'strict decoding error: unknown field "staticManifestsDir"'],
    ['with a relative path', '1.37', () => 'a', 'staticManifestsDir: Invalid value: "a": must be an absolute file path'],
    ['for a file', '1.37', () => file, `staticManifestsDir: Invalid value: "${file}": must be a directory`],
  ]
  for (const [why, release, path, message] of refused)
    it(`are refused ${why}`, async () => {
      const error = await read(release, 'ValidatingAdmissionWebhook', path()).catch((failure: Error) => failure.message)
      expect(error).to.equal(`failed to apply admission: couldn't init admission plugin "ValidatingAdmissionWebhook": ${message}`)
    })

  it('must exist', async () => {
    const error = await read('1.37', 'ValidatingAdmissionPolicy', '/nowhere').catch((failure: Error) => failure.message)
    expect(error).to.contain('staticManifestsDir: Invalid value: "/nowhere": unable to read: ')
  })

  it('can be turned on in 1.36', async () => {
    expect((await read('1.36', 'ValidatingAdmissionPolicy', directory, { ManifestBasedAdmissionControlConfig: true })).size).to.equal(1)
  })
})
