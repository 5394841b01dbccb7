import type { PluginName } from '../admission/plugin-names.ts'
import type { Release } from '../lifecycle/release.ts'
import { admissionPluginsOf } from './admission-plugins.ts'
import type { FlagReader } from './flag-reader.ts'
import type { GivenFlags } from './parse-flags.ts'

/** Admission of writes. */
export interface AdmissionConfig {
  /** Enabled plugins, in order. */
  readonly plugins: readonly PluginName[]
  /** File of plugin configurations. */
  readonly configFile: string | undefined
  /**
   * Whether pods that name a missing service account are rejected. False if this server runs the controllers except the
   * one that creates accounts.
   */
  readonly requireServiceAccounts: boolean
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}

/** Parses the admission flags. Throws FlagError. */
export const admissionOf = (
  read: FlagReader,
  { values }: GivenFlags,
  release: Release,
): Omit<AdmissionConfig, 'requireServiceAccounts'> => ({
  plugins: admissionPluginsOf(release, {
    enable: values.get('enable-admission-plugins'),
    disable: values.get('disable-admission-plugins'),
    only: values.get('admission-control'),
  }),
  configFile: read.text('admission-control-config-file'),
  tolerationSeconds: {
    notReady: read.int('default-not-ready-toleration-seconds', 0),
    unreachable: read.int('default-unreachable-toleration-seconds', 0),
  },
})
