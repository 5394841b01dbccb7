import { createApp } from '../app.ts'
import type { ServedMounts } from '../server-options.ts'
import { mountOf } from './mount-path.ts'
import { mountedChain } from './mounted-chain.ts'
import type { Mounts } from './mounts.ts'

/** Serves requests below mounts by the mounted chain, and all others by the listener's own application. */
export const serveMounts = (mounts: Mounts): ServedMounts => ({
  serving(app, options) {
    const mounted = createApp(mountedChain(options, mounts), options.log)
    return (req, res) => (mountOf(req.url ?? '/') === undefined ? app(req, res) : mounted(req, res))
  },
})
