import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openImagePolicy } from '../../../../../../src/resources/core/pod/image-policy/configuration.ts'

describe('the configuration of ImagePolicyWebhook', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-images-'))
  const kubeconfig = join(directory, 'config')
  before(() =>
    writeFileSync(
      kubeconfig,
      'current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]\n',
    ),
  )
  after(() => rmSync(directory, { recursive: true }))

  const open = (text: string | undefined) =>
    openImagePolicy(text === undefined ? new Map() : new Map([['ImagePolicyWebhook', Buffer.from(text)]]), { now: () => 0 })

  it('has defaults', async () => {
    const { backoff, allowTtlMs, denyTtlMs, defaultAllow } = await open(`{"imagePolicy":{"kubeConfigFile":${JSON.stringify(kubeconfig)}}}`)
    expect({ initialMs: backoff.initialMs, allowTtlMs, denyTtlMs, defaultAllow }).to.deep.equal({
      initialMs: 500,
      allowTtlMs: 300_000,
      denyTtlMs: 30_000,
      defaultAllow: false,
    })
  })
  it('has TTLs in seconds and the backoff in milliseconds, and -1 for none', async () => {
    const text = `imagePolicy:\n  kubeConfigFile: ${kubeconfig}\n  allowTTL: 500\n  denyttl: -1\n  retryBackoff: 250\n  defaultAllow: true\n`
    const { backoff, allowTtlMs, denyTtlMs, defaultAllow } = await open(text)
    expect([backoff.initialMs, allowTtlMs, denyTtlMs, defaultAllow]).to.deep.equal([250, 500_000, 0, true])
  })

  const wrong: [text: string | undefined, why: string][] = [
    [undefined, 'no config specified'],
    ['', 'EOF'],
    ['[]', 'json: cannot unmarshal array into Go value of type imagepolicy.AdmissionConfig'],
    [
      'imagePolicy: {allowTTL: 1s}',
      'json: cannot unmarshal string into Go struct field imagePolicyWebhookConfig.imagePolicy.allowTTL of type time.Duration',
    ],
    [
      'imagePolicy: {defaultAllow: 1}',
      'json: cannot unmarshal number into Go struct field imagePolicyWebhookConfig.imagePolicy.defaultAllow of type bool',
    ],
    ['imagePolicy: {allowTTL: 1801}', 'valid value is between 1s and 30m0s, got 30m1s'],
    ['imagePolicy: {denyTTL: -2}', 'valid value is between 1s and 30m0s, got -2s'],
    ['imagePolicy: {retryBackoff: 300001}', 'valid value is between 1ns and 5m0s, got 5m0.001s'],
    ['imagePolicy: {kubeConfigFile: /missing/file}', 'stat /missing/file: no such file or directory'],
  ]
  for (const [text, why] of wrong)
    it(`is refused: ${text ?? 'none'}`, async () => {
      const told = await open(text).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(told).to.equal(`failed to apply admission: couldn't init admission plugin "ImagePolicyWebhook": ${why}`)
    })
})
