import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { followServingFiles, readServingFiles, type ServedCertificates } from '../../../../src/server/tls/follow-serving-files.ts'
import { issueCa, issueServing, type KeyPair } from '../../../../src/server/tls/issue.ts'
import { eventually } from '../../../support/waiting.ts'

describe('followServingFiles', () => {
  let directory = ''
  let pairs: readonly KeyPair[] = []
  const file = (name: string): string => join(directory, name)
  const write = (name: string, { cert, key }: KeyPair): void => {
    writeFileSync(file(`${name}.crt`), cert)
    writeFileSync(file(`${name}.key`), key)
  }
  const files = (name: string) => ({ cert: file(`${name}.crt`), key: file(`${name}.key`) })
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'serving-'))
    const ca = await issueCa('ca')
    pairs = await Promise.all(['a', 'b', 'c'].map(name => issueServing(ca, name, { dns: [name], ips: [] })))
  })
  after(() => rmSync(directory, { recursive: true }))

  it('reports changed pairs, and ignores a key that does not match', async () => {
    const [a, b, c] = pairs as [KeyPair, KeyPair, KeyPair]
    write('one', a)
    write('two', b)
    const followed = { ordinary: files('one'), named: [{ ...files('two'), names: ['x'] }] }
    const inForce = await readServingFiles(followed)
    expect(inForce).to.deep.equal({ ...a, named: [{ ...b, names: ['x'] }] })
    const told: ServedCertificates[] = []
    const errors: string[] = []
    const stop = new AbortController()
    const log = { ...silentLogger, error: (_: string, fields?: Record<string, unknown>) => void errors.push(String(fields?.error)) }
    const done = followServingFiles(
      { files: followed, inForce, intervalMs: 5, log, onChange: served => void told.push(served) },
      stop.signal,
    )
    writeFileSync(file('two.crt'), c.cert)
    await eventually('it is an error', () => errors.length > 0)
    expect(errors[0]).to.match(/^failed to load SNI cert and key: .*key values mismatch/)
    writeFileSync(file('two.key'), c.key)
    await eventually('it is told', () => told.length > 0)
    expect(told).to.deep.equal([{ ...a, named: [{ ...c, names: ['x'] }] }])
    rmSync(file('one.key'))
    await eventually('it is missed', () =>
      errors.some(text => text.startsWith('invalid serving cert keypair: ') && text.includes('ENOENT')),
    )
    expect(told).to.have.length(1)
    stop.abort()
    await done
  })
})
