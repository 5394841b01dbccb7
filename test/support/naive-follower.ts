import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from './any-object.ts'

/** A client as it should not be: it lists once, watches once, and takes what it has been told for all there is. */
export interface NaiveFollower {
  /** resourceVersions by name. */
  readonly objects: Readonly<Record<string, string>>
  /** Bookmarks that have come. */
  readonly bookmarks: number
  /** Why it follows no more; undefined while it does. */
  readonly ended: string | undefined
  /** Resolves when it watches, or has ended. */
  readonly begun: Promise<void>
  stop(): void
}

/** Time limit of a response. */
const PATIENCE_MS = 1000

/** `agent`: as whom it asks. `path`: of a collection. */
export function followNaively(plane: ControlPlane, agent: string, path: string): NaiveFollower {
  const objects: Record<string, string> = {}
  const state = { objects, bookmarks: 0, ended: undefined as string | undefined }
  let open: ClientRequest | undefined
  const ask = (query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = plane
      open = request(new URL(`${path}?${query}`, plane.url), { ca, cert, key, agent: false, headers: { 'user-agent': agent } }, answer => {
        clearTimeout(timer)
        resolve(answer)
      })
      const timer = setTimeout(() => open?.destroy(new Error('no answer')), PATIENCE_MS)
      open.on('error', reject).end()
    })
  const take = ({ type, object }: { type: string; object: AnyObject }): void => {
    if (type === 'ERROR') throw new Error(`told ${object.code}`)
    if (type === 'BOOKMARK') state.bookmarks++
    else if (type === 'DELETED') delete objects[`${object.metadata.name}`]
    else objects[`${object.metadata.name}`] = object.metadata.resourceVersion ?? ''
  }
  const list = async (): Promise<string> => {
    const answer = await ask('resourceVersion=0')
    let text = ''
    for await (const part of answer.setEncoding('utf8')) text += part
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
    const { items, metadata } = JSON.parse(text) as AnyObject
    for (const object of items as AnyObject[]) take({ type: 'ADDED', object })
    return metadata.resourceVersion ?? ''
  }
  const follow = async (began: () => void): Promise<void> => {
    const answer = await ask(`watch=1&allowWatchBookmarks=true&resourceVersion=${await list()}`)
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
    began()
    for await (const line of createInterface({ input: answer })) take(JSON.parse(line))
    throw new Error('the watch has ended')
  }
  const begun = new Promise<void>(resolve => {
    follow(resolve).catch((error: Error) => {
      state.ended = error.message
      resolve()
    })
  })
  return {
    objects,
    begun,
    get bookmarks() {
      return state.bookmarks
    },
    get ended() {
      return state.ended
    },
    stop: () => void open?.destroy(),
  }
}
