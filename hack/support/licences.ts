import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EmbeddedPackage } from './embedded-packages.ts'

/** Where distributions of Node have its licence, seen from its program. */
const OF_NODE = [
  '../../LICENSE',
  `../../node_modules/node-${process.platform}-${process.arch}/LICENSE`,
  '../../share/doc/nodejs/LICENSE',
  '../../share/doc/node/LICENSE',
]
const OF_PACKAGE = /^(?:licen[cs]e|copying|notice)/i

/** The licences of Node and of packages in one text, as they want to go with what is made of them. */
export function licencesOf(node: string, packages: readonly EmbeddedPackage[]): string {
  const ofNode = [...OF_NODE.map(place => join(node, place)), join(dirname(node), 'LICENSE')].find(file => existsSync(file))
  if (ofNode === undefined) console.error(`there is no licence of Node near ${node}: add it to what you pass on`)
  const parts = packages.map(({ name, version, directory }) => {
    const texts = readdirSync(directory)
      .filter(file => OF_PACKAGE.test(file))
      .sort()
    const { license = '' } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { readonly license?: string }
    return [`${name} ${version} (${license})`, ...texts.map(file => readFileSync(join(directory, file), 'utf8').trim())].join('\n\n')
  })
  return `${[`Node.js\n\n${ofNode === undefined ? '' : readFileSync(ofNode, 'utf8').trim()}`, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`
}
