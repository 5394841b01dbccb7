import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { openEncryption } from '../../../src/control-plane/encryption-service.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { key } from '../../../src/storage/revision.ts'
import { EncryptionConfigError } from '../../../src/storage/value/encryption-file.ts'
import { encryptionFile, identityProvider, providerOf } from '../../support/encryption-config.ts'

const SECRETS = { group: '', resource: 'secrets' }
const KEY = key('/registry/secrets/default/a')

describe('openEncryption', () => {
  let directory: string
  let file: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'encryption-'))
    file = join(directory, 'config.yaml')
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  const open = (...flags: string[]) => {
    const command = readCommandLine(flags)
    if (command.action !== 'serve') throw new Error('it does not serve')
    return openEncryption(command.config.storage, silentLogger)
  }

  it('encrypts nothing without a file', async () => {
    const { encryption, close } = await open()
    expect(encryption.transformerFor(SECRETS).toStorage(Buffer.from('x'), KEY).toString()).to.equal('x')
    await close()
  })

  it('encrypts as the file configures, and counts transformations', async () => {
    writeFileSync(file, encryptionFile(['secrets'], providerOf('secretbox', 'one'), identityProvider))
    const { encryption, metrics, checks, close } = await open(
      `--encryption-provider-config=${file}`,
      '--encryption-provider-config-automatic-reload',
    )
    const transformer = encryption.transformerFor(SECRETS)
    transformer.fromStorage(transformer.toStorage(Buffer.from('x'), KEY), KEY)
    expect(() => transformer.fromStorage(Buffer.from('k8s:enc:kms:v2:x'), KEY)).to.throw()
    const samples = metrics.flatMap(family => [...family.samples()])
    const counted = samples
      .filter(({ metricName }) => metricName === 'apiserver_storage_transformation_operations_total')
      .map(({ labels, value }) => [...Object.values(labels), value].join(' '))
    expect(counted).to.have.members([
      'secrets OK to_storage k8s:enc:secretbox:v1: 1',
      'secrets OK to_storage one: 1',
      'secrets OK from_storage k8s:enc:secretbox:v1: 1',
      'secrets OK from_storage one: 1',
      'secrets unknown-non-grpc from_storage unknown 1',
    ])
    expect(samples.find(({ metricName }) => metricName === 'apiserver_storage_transformation_duration_seconds_count')).to.have.property(
      'value',
      1,
    )
    expect(checks.map(({ name }) => name)).to.deep.equal(['kms-providers'])
    await close()
  })

  it('names a file that is unreadable or empty', async () => {
    const refusal = (opening: Promise<unknown>): Promise<Error> =>
      opening.then(
        () => expect.fail('it was taken'),
        error => error,
      )
    const missing = await refusal(open('--encryption-provider-config=/no/such/file'))
    expect(missing).to.be.instanceOf(EncryptionConfigError)
    expect(missing.message).to.contain('error reading encryption provider configuration file "/no/such/file": ENOENT')
    writeFileSync(file, '')
    expect((await refusal(open(`--encryption-provider-config=${file}`))).message).to.contain(
      `encryption provider configuration file ${JSON.stringify(file)} is empty`,
    )
  })
})
