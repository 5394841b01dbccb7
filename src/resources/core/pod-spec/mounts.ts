import { forbidden, invalid, notFound, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDescendingPath, hasBacksteps } from '../volume/paths.ts'
import type { VolumesByName } from '../volume/validation.ts'

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible']

export function checkMounts(container: ApiStruct, volumes: VolumesByName, path: FieldPath, errors: Errors): void {
  const mounts: ApiStruct[] = container.volumeMounts
  const devices = new Map<string, string>((container.volumeDevices ?? []).map((device: ApiStruct) => [device.name ?? '', device.devicePath ?? '']))
  const devicePaths = new Set(devices.values())
  const mounted = new Set<string>()
  mounts.forEach((mount, i) => {
    const at = path.index(i)
    const name: string = mount.name ?? ''
    const mountPath: string = mount.mountPath ?? ''
    if (name === '') errors.push(required(at.child('name')))
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name))
    if (mountPath === '') errors.push(required(at.child('mountPath')))
    if (mounted.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'))
    mounted.add(mountPath)
    if (devices.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'))
    if (devicePaths.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'))
    // From here on upstream's paths name the list, not its element.
    if (mount.subPath) checkDescendingPath(mount.subPath, path.child('subPath'), errors)
    if (mount.subPathExpr) {
      if (mount.subPath) errors.push(invalid(at.child('subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
      checkDescendingPath(mount.subPathExpr, path.child('subPathExpr'), errors)
    }
    if (mount.mountPropagation !== undefined) checkPropagation(mount.mountPropagation, container, path.child('mountPropagation'), errors)
    if (mount.recursiveReadOnly !== undefined) checkRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors)
  })
}

function checkPropagation(mode: string, container: ApiStruct, path: FieldPath, errors: Errors): void {
  if (!PROPAGATIONS.includes(mode)) errors.push(notSupported(path, mode, PROPAGATIONS))
  if (mode === 'Bidirectional' && !container.securityContext?.privileged) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'))
  }
}

function checkRecursiveReadOnly(mount: ApiStruct, path: FieldPath, errors: Errors): void {
  const mode: string = mount.recursiveReadOnly
  if (!RECURSIVE_READ_ONLY.includes(mode)) return void errors.push(notSupported(path, mode, RECURSIVE_READ_ONLY))
  if (mode === 'Disabled') return
  if (!mount.readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'))
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'))
  }
}

export function checkDevices(container: ApiStruct, volumes: VolumesByName, path: FieldPath, errors: Errors): void {
  const devices: ApiStruct[] = container.volumeDevices
  const mounts = new Map<string, string>((container.volumeMounts ?? []).map((mount: ApiStruct) => [mount.name ?? '', mount.mountPath ?? '']))
  const mountPaths = new Set(mounts.values())
  const names = new Set<string>()
  const paths = new Set<string>()
  devices.forEach((device, i) => {
    const at = path.index(i)
    const name: string = device.name ?? ''
    const devicePath: string = device.devicePath ?? ''
    const volume = volumes.get(name)
    if (name === '') errors.push(required(at.child('name')))
    if (names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'))
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.push(invalid(at.child('name'), name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'))
    }
    if (!volume) errors.push(notFound(at.child('name'), name))
    if (devicePath === '') errors.push(required(at.child('devicePath')))
    if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'))
    if (hasBacksteps(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"))
    else paths.add(devicePath)
    if (mounts.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'))
    if (mountPaths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'))
    if (name !== '') names.add(name)
  })
}
