import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ManifestMetrics } from '../../../../src/admission/manifests/manifest-metrics.ts'
import { ManifestSource } from '../../../../src/admission/manifests/manifest-source.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { eventually } from '../../../support/waiting.ts'

describe('a source of manifests', () => {
  const directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  const file = join(directory, 'a.yaml')
  after(() => rmSync(directory, { recursive: true }))

  it('reloads files that change, and keeps the last valid ones', async () => {
    const applied: string[] = []
    let attempts = 0
    const metrics = new ManifestMetrics('id')
    const source = new ManifestSource({
      plugin: 'ValidatingAdmissionPolicy',
      directory,
      metrics,
      clock: { now: () => 5_000 },
      logger: silentLogger,
      intervalMs: 2,
      async apply(documents) {
        attempts++
        const text = documents.map(({ bytes }) => bytes.toString()).join()
        if (text === 'bad') throw new Error('bad manifest')
        applied.push(text)
      },
    })
    const samples = (family: number) => [...(metrics.families[family]?.samples() ?? [])]
    const counted = (status: string) =>
      samples(0).find(({ labels }) => labels.status === status && labels.plugin === 'ValidatingAdmissionPolicy')?.value ?? 0
    writeFileSync(file, 'first')
    await source.load()
    await source.load()
    const over = new AbortController()
    const following = source.follow(over.signal)
    writeFileSync(file, 'bad')
    await eventually('the invalid file is counted', () => counted('failure') === 1)
    const before = attempts
    writeFileSync(file, 'second')
    await eventually('the valid file is in force', () => applied.includes('second'))
    over.abort()
    await following
    expect(applied).to.deep.equal(['first', 'second'])
    // The invalid file was tried once.
    expect(attempts).to.equal(before + 1)
    expect(counted('success')).to.equal(2)
    expect(samples(1)[0]?.value).to.equal(5)
    expect(samples(2)[0]?.labels.hash).to.match(/^sha256:[0-9a-f]{64}$/)
  })

  it('reports a directory that cannot be loaded', async () => {
    const source = new ManifestSource({
      plugin: 'MutatingAdmissionWebhook',
      directory: '/nowhere',
      metrics: new ManifestMetrics(''),
      clock: { now: () => 0 },
      logger: silentLogger,
      apply: async () => {},
    })
    const error = await source.load().catch((failure: Error) => failure.message)
    expect(error).to.match(
      /^failed to apply admission: failed to initialize admission plugin "MutatingAdmissionWebhook": failed to load static webhook manifests from "\/nowhere": failed to read manifest directory/,
    )
  })
})
