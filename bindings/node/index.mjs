import genkan from './index.cjs';

export const { Client, Context, GenkanError, Handle, Refused, ToolError,
  errorName, libraryVersion, local, machines, native, policy, queryPeer, trust,
  webauthn } = genkan;
export default genkan;
