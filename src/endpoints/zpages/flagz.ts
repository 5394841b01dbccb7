import { isSince, minorOf } from '../../lifecycle/release.ts'
import type { ZPageContent, ZPageSource } from './zpage-content.ts'
import { randomDelimiter, textHeader } from './zpage-text.ts'

/** Texts by source. A server prints the same text each time. */
const texts = new WeakMap<ZPageSource, Promise<string>>()

/** Returns the content of `/flagz`: the flags with their values. */
export function flagz(source: ZPageSource): ZPageContent {
  const { release } = source.features
  const component = isSince(release, '1.36') ? 'apiserver' : 'kube-apiserver'
  return {
    kind: 'Flagz',
    text: () => {
      let text = texts.get(source)
      if (text === undefined) {
        text = textOf(source, component)
        texts.set(source, text)
      }
      return text
    },
    async document(apiVersion) {
      return { kind: 'Flagz', apiVersion, metadata: { name: component }, flags: Object.fromEntries(sorted(await source.flags())) }
    },
  }
}

async function textOf(source: ZPageSource, component: string): Promise<string> {
  const delimiter = randomDelimiter()
  const lines = sorted(await source.flags()).map(([name, value]) => `${name}${delimiter}${value}\n`)
  const header = minorOf(source.features.release) < 35 ? `${textHeader(component, 'flags')}\n` : textHeader(component, 'flagz')
  return `${header}${lines.join('')}`
}

const sorted = (flags: ReadonlyMap<string, string>): [string, string][] => [...flags].sort(([a], [b]) => (a < b ? -1 : 1))
