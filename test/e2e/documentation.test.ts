import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type CodeBlock, codeBlocks } from '../../hack/docs/code-blocks.ts'
import { readContents } from '../../hack/docs/contents.ts'
import { DocumentedSession } from '../support/documented-session.ts'
import { findEtcd } from '../support/etcd.ts'

const root = join(import.meta.dirname, '../..')
const isBuilt = existsSync(join(root, 'dist/main.cjs'))
/** Programs that pages use and that are not everywhere. */
const PROGRAMS = ['cargo', 'docker', 'etcdctl', 'go', 'helm', 'kubectl', 'podman', 'python3']
/** Beside a program: how it is known whether what a marker names is here. */
const FACTS: Readonly<Record<string, () => boolean>> = {
  etcd: () => findEtcd() !== undefined,
  // Downloads modules and packages, in minutes.
  'a network': () => process.env.DOCS_NETWORK === '1',
}

const onPath = (program: string): boolean => (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))
const isHere = (name: string): boolean => (Object.hasOwn(FACTS, name) ? FACTS[name]?.() === true : onPath(name))
const isRun = ({ language, marker }: CodeBlock): boolean => marker.file !== undefined || language === 'sh' || language === 'console'
const used = (text: string): string[] => PROGRAMS.filter(program => new RegExp(`(?:^|[|;&(] *)(?:\\$ )?${program} `, 'm').test(text))

/** Why a block is not run; undefined: it is. */
function whyNot({ text, marker }: CodeBlock): string | undefined {
  if (marker.shown !== undefined) return marker.shown
  const missing = [...marker.needs, ...(marker.file === undefined ? used(text) : [])].find(name => !isHere(name))
  return missing && `there is no ${missing.replace(/^a /, '')} here`
}

const titleOf = ({ text, line, marker }: CodeBlock): string => `line ${line}: ${marker.file ?? text.split('\n')[0]}`

;(isBuilt ? describe : describe.skip)(`the commands of the documentation${isBuilt ? '' : ' (skipped: dist is not built)'}`, function () {
  this.timeout(600_000)
  const pages = readContents()
    .filter(({ listed }) => listed)
    .flatMap(section => section.pages)
  for (const page of pages.filter(path => existsSync(join(root, path)))) {
    const blocks = codeBlocks(readFileSync(join(root, page), 'utf8')).filter(isRun)
    if (blocks.length === 0) continue
    describe(page, () => {
      const session = new DocumentedSession()
      before(() => session.open())
      after(() => session.close())
      for (const block of blocks) {
        const skipped = whyNot(block)
        if (skipped === undefined) it(titleOf(block), () => session.run(block))
        else it.skip(`${titleOf(block)} (skipped: ${skipped})`, () => {})
      }
    })
  }
})
