import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkNamedFiles } from '../../../src/config/named-files.ts'
import { FlagError, parseFlags } from '../../../src/config/parse-flags.ts'

describe('checkNamedFiles', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'binnacle-named-files-'))
    await writeFile(join(folder, 'ca.crt'), '-----BEGIN CERTIFICATE-----\n')
    await writeFile(join(folder, 'text'), 'no certificate\n')
  })
  after(() => rm(folder, { recursive: true }))

  const refusal = (...argv: string[]): string => {
    try {
      checkNamedFiles(parseFlags(argv.map(argument => argument.replace('FOLDER', folder))))
      return ''
    } catch (error) {
      expect(error).to.be.an.instanceOf(FlagError)
      return (error as Error).message.replaceAll(folder, 'FOLDER')
    }
  }

  const cases: [name: string, argv: string[], refusal: string][] = [
    ['an existing file', ['--client-ca-file=FOLDER/ca.crt'], ''],
    ['no file', ['--token-auth-file='], ''],
    ['a missing file', ['--token-auth-file=FOLDER/tokens'], "--token-auth-file: ENOENT: no such file or directory, stat 'FOLDER/tokens'"],
    [
      'a missing second file',
      ['--service-account-key-file=FOLDER/text,FOLDER/key'],
      "--service-account-key-file: ENOENT: no such file or directory, stat 'FOLDER/key'",
    ],
    [
      'a directory',
      ['--tls-cert-file=FOLDER', '--tls-private-key-file=FOLDER/text'],
      '--tls-cert-file: EISDIR: illegal operation on a directory, read FOLDER',
    ],
    ['a special file, which can be read only once', ['--token-auth-file=/dev/null'], ''],
    ['a bundle without a certificate', ['--client-ca-file=FOLDER/text'], '--client-ca-file: FOLDER/text contains no PEM certificate'],
    [
      'a kubelet CA without a certificate',
      ['--kubelet-certificate-authority=FOLDER/text'],
      '--kubelet-certificate-authority: FOLDER/text contains no PEM certificate',
    ],
  ]
  for (const [name, argv, expected] of cases) it(`${name}: ${expected || 'accepted'}`, () => expect(refusal(...argv)).to.equal(expected))
})
