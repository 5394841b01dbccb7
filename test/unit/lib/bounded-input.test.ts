import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readAdmissionConfiguration } from '../../../src/admission/configuration-file.ts'
import { readPolicyFile } from '../../../src/audit/policy-file.ts'
import { readKubeconfig } from '../../../src/clients/kubeconfig.ts'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { checkNamedFiles } from '../../../src/config/named-files.ts'
import { parseFlags } from '../../../src/config/parse-flags.ts'
import {
  CONFIG_FILE_BYTES,
  InputBoundError,
  readBoundedFile,
  readConfigFile,
  readConfigFileSync,
  readConfigText,
} from '../../../src/lib/bounded-input.ts'
import { openEgress } from '../../../src/process/shared-store.ts'
import { parseEncryptionFile } from '../../../src/storage/value/encryption-file.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')

/** Files that are read at the start, with a valid beginning. Each returns an error, or undefined. */
const READERS: Readonly<Record<string, [text: string, read: (file: string) => Promise<unknown>]>> = {
  'a kubeconfig': [
    'apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://a.example"}}]\nusers: [{name: u, user: {token: t}}]\n',
    file => readKubeconfig(file),
  ],
  'an audit policy': ['apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n', file => readPolicyFile(file, () => {})],
  'an admission configuration': [
    'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []\n',
    file => readAdmissionConfiguration(file, [], () => {}),
  ],
  'an egress selection': [
    'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections: []\n',
    file => openEgress(served(`--egress-selector-config-file=${file}`)),
  ],
  'an encryption configuration': [
    `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: [secrets], providers: [{aescbc: {keys: [{name: a, secret: ${KEY}}]}}]}]\n`,
    async file => parseEncryptionFile(await readConfigFile(file), file),
  ],
  'a list of metric labels': [
    '"metric,label": a,b\n',
    async file => {
      const { warnings } = served(`--allow-metric-labels-manifest=${file}`).observability
      if (warnings.length > 0) throw new Error(warnings.join())
    },
  ],
  'named by a flag': ['', async file => checkNamedFiles(parseFlags([`--token-auth-file=${file}`]))],
}

function served(...argv: string[]) {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(`asked for ${command.action}`)
  return command.config
}

describe('a configuration file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-input-'))
  const file = join(directory, 'file.yaml')
  after(() => rmSync(directory, { recursive: true }))
  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => '',
      (error: Error) => error.message,
    )

  for (const [name, [text, read]] of Object.entries(READERS))
    it(`that is ${name} is read up to 16 MiB, and refused above, with its name and the bound`, async () => {
      writeFileSync(file, `${text}#`.padEnd(CONFIG_FILE_BYTES, 'x'))
      expect(await failure(read(file))).to.equal('')
      writeFileSync(file, `${text}#`.padEnd(CONFIG_FILE_BYTES + 1, 'x'))
      const message = await failure(read(file))
      expect(message).to.include(`${file} has more than ${CONFIG_FILE_BYTES} bytes`)
      expect(message).not.to.include('\n')
    })

  for (const [name, [, read]] of Object.entries(READERS).slice(0, -1))
    it(`that is ${name} may be nested up to 10,000 levels`, async () => {
      writeFileSync(file, `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)
      expect(await failure(read(file))).not.to.match(/call stack/)
      writeFileSync(file, `${'{"a":'.repeat(500_000)}`)
      expect(await failure(read(file))).to.include('exceeded max depth of 10000')
    })

  it('is read in one call or in several, with the same result', async () => {
    for (const length of [0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 3_000_000]) {
      const bytes = Buffer.alloc(length, 'abc')
      writeFileSync(file, bytes)
      expect(readConfigFileSync(file).equals(bytes), `${length}`).to.equal(true)
      expect((await readConfigFile(file)).equals(bytes), `${length}`).to.equal(true)
      expect(await readConfigText(file)).to.equal(bytes.toString())
    }
  })

  it('that never ends is refused', async () => {
    expect(await failure(readConfigFile('/dev/zero'))).to.equal(
      `/dev/zero has more than ${CONFIG_FILE_BYTES} bytes, the most that are read of such a file`,
    )
    expect(() => readConfigFileSync('/dev/zero')).to.throw(InputBoundError, '/dev/zero has more than')
  })

  it('may have another bound, and a flag that raises it', async () => {
    writeFileSync(file, 'abcd')
    expect((await readConfigFile(file, 4)).toString()).to.equal('abcd')
    expect(await failure(readConfigFile(file, 3))).to.include(`${file} has more than 3 bytes`)
    expect(readBoundedFile(file, 4).toString()).to.equal('abcd')
    expect(() => readBoundedFile(file, 3, 'max-file-bytes')).to.throw(
      InputBoundError,
      'it has more than 3 bytes (--max-file-bytes raises the bound)',
    )
  })

  it('that cannot be read has the error of the system', async () => {
    const missing = join(directory, 'missing')
    expect(await failure(readConfigFile(missing))).to.equal(`ENOENT: no such file or directory, open '${missing}'`)
    expect(await failure(readConfigFile(directory))).to.match(/^EISDIR/)
    truncateSync(file, 0)
    expect((await readConfigFile(file)).length).to.equal(0)
  })
})

/**
 * Sources that read whole files in another way, which have a bound of their own, or are files of the program or of the
 * system.
 */
const READ_OTHERWISE = [
  'explore/command/running-threads.ts', // /proc/PID/stat
  'lib/program-files.ts', // Files of the program.
  'process/assets/write-assets.ts', // Only if the size is below a bound.
  'storage/embedded/directory-lock.ts', // The lock file, by its descriptor.
  'storage/embedded/mapped-memory.ts', // /proc/self/status
]

describe('sources', () => {
  it('read whole files by the bounded reader', () => {
    const source = join(import.meta.dirname, '../../../src')
    const reading = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name) && /\breadFile(Sync)?\(/.test(readFileSync(join(source, name), 'utf8')))
      .sort()
    expect(reading).to.deep.equal(READ_OTHERWISE)
  })
})
