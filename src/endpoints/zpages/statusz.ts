import { escapeHtmlAsGo } from '../../lib/escape-html.ts'
import { isSince } from '../../lifecycle/release.ts'
import { formatTime } from '../../meta/time.ts'
import { FIXED_PATHS } from '../discovery/discovery.ts'
import type { ZPageContent, ZPageSource } from './zpage-content.ts'
import { zpagePaths } from './zpage-paths.ts'
import { randomDelimiter, textHeader } from './zpage-text.ts'

/** Roots of paths that are not for debugging. */
const API_ROOTS: ReadonlySet<string> = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known'])

/** Returns the content of `/statusz`: start, versions, and paths of other pages. */
export function statusz(source: ZPageSource): ZPageContent {
  const { release } = source.features
  const component = isSince(release, '1.34') ? 'apiserver' : 'kube-apiserver'
  const upSeconds = (): number => Math.max(0, Math.floor((Date.now() - source.startedAt) / 1000))
  return {
    kind: 'Statusz',
    text: async () => textHeader(component, 'statusz') + statusText(source, upSeconds()),
    document: async apiVersion => ({
      kind: 'Statusz',
      apiVersion,
      metadata: { name: component },
      startTime: formatTime(source.startedAt),
      uptimeSeconds: upSeconds(),
      goVersion: source.runtimeVersion,
      binaryVersion: source.programVersion,
      emulationVersion: release,
      paths: rootsOf(source),
    }),
  }
}

/** Returns the first segments of the paths of the index, except those of the API. Sorted. */
const rootsOf = ({ features }: ZPageSource): string[] =>
  [...new Set([...FIXED_PATHS, ...zpagePaths(features)].map(path => `/${path.split('/')[1]}`))].filter(root => !API_ROOTS.has(root)).sort()

/** The delimiter is one of several at random, as upstream does so that no client parses the page. */
function statusText(source: ZPageSource, up: number): string {
  const { release } = source.features
  const delimiter = escapeHtmlAsGo(randomDelimiter())
  const lines = [
    ['Started', unixDate(source.startedAt)],
    ['Up', `${Math.floor(up / 3600)} hr ${twoDigits(Math.floor(up / 60) % 60)} min ${twoDigits(up % 60)} sec`],
    ['Go version', source.runtimeVersion],
    ['Binary version', source.programVersion],
    ['Emulation version', release],
    ...(isSince(release, '1.34') ? [['Paths', `${isSince(release, '1.35') ? '' : ' '}${rootsOf(source).join(' ')}`]] : []),
  ]
  return `\n${lines.map(([name, value = '']) => `${name}${delimiter} ${escapeHtmlAsGo(value)}\n`).join('')}`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Formats a time in UTC like Go's time.UnixDate: `Sun Nov  1 11:08:23 UTC 2026`. */
function unixDate(millis: number): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(millis).toUTCString().split(' ')
  return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}
