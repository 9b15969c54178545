import { statfsSync } from 'node:fs';

/** What a file system says of itself. */
export interface FileSystem {
  /** Its name where it may be shared with other machines or is served by a program, else null. */
  readonly remote: string | null;
  /** Its name where what it holds goes with the container or the machine that it is of, else null. */
  readonly passing: string | null;
  readonly freeBytes: number;
  /** How many more files fit; null where it keeps no count. */
  readonly freeFiles: number | null;
}

// statfs(2) of Linux, and the sources of those that it does not list.
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x73757245, 'Coda'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
]);

const PASSING: ReadonlyMap<number, string> = new Map([
  [0x794c7630, 'overlay'],
  [0x01021994, 'tmpfs'],
]);

/** The file system of that magic number, if it is one that other machines may share; Linux numbers. */
export function remoteFileSystem(magic: number): string | null {
  // Where a long has 32 bits, the number comes with a sign.
  return REMOTE.get(magic >>> 0) ?? null;
}

/** The file system that holds a path, which must exist. @throws the error of statfs */
export function fileSystemOf(path: string): FileSystem {
  const { type, bavail, bsize, files, ffree } = statfsSync(path);
  return {
    remote: remoteFileSystem(type),
    passing: PASSING.get(type >>> 0) ?? null,
    freeBytes: bavail * bsize,
    // btrfs and others make room for files as they come, and say 0 of 0.
    freeFiles: files === 0 ? null : ffree,
  };
}
