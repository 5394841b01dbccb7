// Keeps the ConfigMaps of a namespace in memory with informers of @kubernetes/client-node, and over a WebSocket like fabric8's (Java) informers, despite all
// failures: follow.mjs NAMESPACE SELECTOR. Reads one word per line from standard input ("state", "end") and responds to each with a line of JSON, as the Go program does.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import * as k8s from '@kubernetes/client-node'
import WebSocket from 'ws'

const [namespace, selector] = process.argv.slice(2)
const PATH = `/api/v1/namespaces/${namespace}/configmaps`
const PAUSE_MS = 200
/** A connection on which nothing has come for so long is given up. */
const SILENT_MS = 3000
const config = new k8s.KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(k8s.CoreV1Api)

/** Counts of requests, and the order of the versions of each object. */
function newFollower(name) {
  return { name, objects: new Map(), last: new Map(), lists: 0, watches: 0, refused: {}, faults: [] }
}

function take(follower, type, { name, resourceVersion }) {
  const had = follower.objects.has(name)
  const last = follower.last.get(name) ?? 0
  const lost = type === 'delete' && resourceVersion === follower.objects.get(name)
  if ((Number(resourceVersion) <= last && !lost) || (type === 'add') === had)
    follower.faults.push(`${type} ${name} at ${resourceVersion} after ${last}, present: ${had}`)
  follower.last.set(name, Math.max(last, Number(resourceVersion)))
  if (type === 'delete') follower.objects.delete(name)
  else follower.objects.set(name, resourceVersion)
}

const refuse = (follower, error) => {
  const code = error.statusCode ?? error.code ?? 'no answer'
  follower.refused[code] = (follower.refused[code] ?? 0) + 1
}

/** Starts an informer, and restarts it after a failure, as in the library's examples. */
function inform(name, labelSelector) {
  const follower = newFollower(name)
  const list = async () => {
    const found = await core.listNamespacedConfigMap({ namespace, labelSelector })
    follower.lists++
    return found
  }
  const informer = k8s.makeInformer(config, PATH, list, labelSelector)
  for (const type of ['add', 'update', 'delete']) informer.on(type, object => take(follower, type, object.metadata))
  informer.on('connect', () => {
    follower.watches++
  })
  let stopped = false
  informer.on('error', async error => {
    refuse(follower, error)
    await sleep(PAUSE_MS)
    if (!stopped) await informer.start()
  })
  follower.start = () => informer.start()
  follower.stop = () => {
    stopped = true
    return informer.stop()
  }
  return follower
}

/** Lists, then watches over a WebSocket from the list's version. Whenever that ends, it resumes from the last version, and lists again only after a 410. */
function informBySocket(name) {
  const follower = newFollower(name)
  let version
  let socket
  let stopped = false
  const list = async () => {
    const { items, metadata } = await core.listNamespacedConfigMap({ namespace })
    follower.lists++
    const there = new Set(items.map(item => item.metadata.name))
    for (const [gone, resourceVersion] of follower.objects) if (!there.has(gone)) take(follower, 'delete', { name: gone, resourceVersion })
    for (const item of items) {
      const known = follower.objects.get(item.metadata.name)
      if (known !== item.metadata.resourceVersion) take(follower, known === undefined ? 'add' : 'update', item.metadata)
    }
    version = metadata.resourceVersion
  }
  const onEvent = ({ type, object }) => {
    if (type === 'ERROR') {
      refuse(follower, object)
      if (object.code === 410) version = undefined
      return socket.close()
    }
    version = object.metadata.resourceVersion
    if (type !== 'BOOKMARK') take(follower, { ADDED: 'add', MODIFIED: 'update', DELETED: 'delete' }[type], object.metadata)
  }
  const watch = async () => {
    const { server } = config.getCurrentCluster()
    const options = { headers: { Origin: server, Accept: 'application/json' } }
    await config.applyToHTTPSOptions(options)
    const query = new URLSearchParams({ allowWatchBookmarks: true, resourceVersion: version, timeoutSeconds: 600, watch: true })
    await new Promise(resolve => {
      socket = new WebSocket(`${server.replace(/^http/, 'ws')}${PATH}?${query}`, options)
      let heard = Date.now()
      const ping = setInterval(() => {
        if (Date.now() - heard > SILENT_MS) socket.terminate()
        else if (socket.readyState === WebSocket.OPEN) socket.ping()
      }, SILENT_MS / 3)
      socket.on('open', () => {
        follower.watches++
      })
      socket.on('pong', () => {
        heard = Date.now()
      })
      socket.on('unexpected-response', (request, response) => {
        refuse(follower, { code: response.statusCode })
        if (response.statusCode === 410) version = undefined
        request.destroy()
        resolve(clearInterval(ping))
      })
      socket.on('error', error => refuse(follower, error))
      socket.on('close', () => resolve(clearInterval(ping)))
      socket.on('message', data => {
        heard = Date.now()
        onEvent(JSON.parse(data))
      })
    })
  }
  const run = async () => {
    while (!stopped) {
      try {
        if (version === undefined) await list()
        if (!stopped) await watch()
      } catch (error) {
        refuse(follower, error)
      }
      if (!stopped) await sleep(PAUSE_MS)
    }
  }
  follower.start = () => void run()
  follower.stop = () => {
    stopped = true
    socket?.close()
  }
  return follower
}

const tell = answer => process.stdout.write(`${JSON.stringify(answer)}\n`)
const handles = () =>
  process.getActiveResourcesInfo().filter(kind => kind === 'TLSSocketWrap' || kind === 'TCPSocketWrap' || kind === 'TCPWRAP').length

const followers = [inform('informer'), inform('selected', selector), informBySocket('WebSocket')]
for (const follower of followers) void follower.start()
while (followers.some(follower => follower.lists === 0)) await sleep(20)
tell({ ready: followers.length })
for await (const line of createInterface(process.stdin)) {
  if (line === 'end') break
  tell(
    Object.fromEntries(
      followers.map(({ name, objects, lists, watches, refused, faults }) => [
        name,
        { objects: Object.fromEntries(objects), lists, watches, refused, faults },
      ]),
    ),
  )
}
for (const follower of followers) await follower.stop()
for (let i = 0; handles() > 0 && i < 100; i++) await sleep(50)
tell({ left: handles() })
process.exit(0)
