import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Logger, silentLogger } from '../../../../src/lib/log.ts'
import { key } from '../../../../src/storage/revision.ts'
import { Encryption } from '../../../../src/storage/value/encryption.ts'
import { parseEncryptionFile } from '../../../../src/storage/value/encryption-file.ts'
import { followEncryptionFile } from '../../../../src/storage/value/follow-encryption-file.ts'
import { encryptionFile, providerOf } from '../../../support/encryption-config.ts'
import { eventually } from '../../../support/waiting.ts'

describe('a followed encryption configuration', () => {
  let directory: string
  let file: string
  let stop: AbortController
  let following: Promise<void>
  const log: string[] = []
  const logger: Logger = {
    ...silentLogger,
    info: message => log.push(message),
    error: (message, fields) => log.push(`${message}: ${fields?.error}`),
  }
  const encryption = new Encryption()
  const prefix = () =>
    /^k8s:enc:\w+:v1:(\w+):/.exec(
      encryption.transformerFor({ group: '', resource: 'secrets' }).toStorage(Buffer.from('x'), key('/a')).toString('latin1'),
    )?.[1]

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'encryption-'))
    file = join(directory, 'config.json')
    log.length = 0
    stop = new AbortController()
    writeFileSync(file, encryptionFile(['secrets'], providerOf('aesgcm', 'one')))
    const config = parseEncryptionFile(readFileSync(file), file)
    encryption.configure(config)
    following = followEncryptionFile(
      { file, hash: config.hash, intervalMs: 5, logger, apply: async changed => encryption.configure(changed) },
      stop.signal,
    )
  })
  afterEach(async () => {
    stop.abort()
    await following
    rmSync(directory, { recursive: true })
  })

  it('is applied when it changes, and only then', async () => {
    for (const [n, key] of ['two', 'three'].entries()) {
      expect(log).to.have.length(n)
      // At once: what is read of a file that is being written can't be parsed.
      writeFileSync(`${file}.new`, encryptionFile(['secrets'], providerOf('aesgcm', key, 'one')))
      renameSync(`${file}.new`, file)
      await eventually('the new key writes, and it is told', () => prefix() === key && log.length > n)
    }
    expect(log).to.deep.equal(Array(2).fill('the encryption configuration has changed'))
  })

  it('stays in force while the file is invalid', async () => {
    writeFileSync(file, '{}')
    await eventually('it is told', async () => log.length > 0)
    expect(log[0]).to.contain(
      'the encryption configuration can not be reloaded: error while parsing file: error decoding encryption provider configuration file',
    )
    rmSync(file)
    await eventually('it is told that there is none', async () => log.at(-1)?.includes('ENOENT') === true)
    expect(prefix()).to.equal('one')
    writeFileSync(file, encryptionFile(['secrets'], providerOf('aesgcm', 'two')))
    await eventually('the new key writes', async () => prefix() === 'two')
  })
})
