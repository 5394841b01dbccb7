import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { codeBlocks } from '../../hack/docs/code-blocks.ts'
import { isInstalled, LANGUAGE_EXAMPLES } from '../support/language-examples.ts'

const root = join(import.meta.dirname, '../..')
const BINNACLE = process.env.BINNACLE ?? join(root, 'bin/binnacle')
/** Modules are there, and nothing is downloaded. */
const OFFLINE = { GOFLAGS: '-mod=readonly', GOPROXY: 'off' }

/** The one block of the page in a language. */
function block(language: string): string {
  const found = codeBlocks(readFileSync(join(root, 'docs/other-languages.md'), 'utf8')).filter(each => each.language === language)
  expect(found, language).to.have.length(1)
  return `${found[0]?.text}\n`
}

describe('the examples in other languages, as their page shows them', function () {
  this.timeout(700_000)
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  for (const example of LANGUAGE_EXAMPLES) {
    const { language } = example
    const runs = isInstalled(example)
    ;(runs ? it : it.skip)(`run in ${language}${runs ? '' : ` (skipped: not installed: hack/clients ${language})`}`, () => {
      for (const [program = '', ...args] of example.put(directory, block(language))) {
        const { status, stdout, stderr } = spawnSync(program, args, {
          cwd: directory,
          env: { ...process.env, ...OFFLINE, BINNACLE },
          encoding: 'utf8',
        })
        expect(status, `${program} ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0)
      }
    })
  }

  it('list the packages of the Rust example', () =>
    expect(readFileSync(join(root, 'test/e2e/clients/rust/Cargo.toml'), 'utf8')).to.contain(block('toml')))
})
