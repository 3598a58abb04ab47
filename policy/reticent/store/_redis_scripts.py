"""The scripts that Redis runs: each is one operation, and Redis runs nothing else meanwhile.

A script that starts without room for it does not write at all (https://redis.io/docs/latest/develop/programmability/
eval-intro/, read 2026-11-29). Keys of anchors are made inside scripts, which a single Redis allows and a cluster not.
"""

from __future__ import annotations

from typing import Final

READ: Final = """
local head = redis.call('HMGET', KEYS[1], 'state', 'finished', 'tenant', 'task', 'key_id', 'wrapped', 'turns',
                        'sequence', 'created', 'deadline')
if head[1] ~= 'live' then return {head[1] or '', head[2] or ''} end
if ARGV[1] == 'head' then return head end
return {head, redis.call('LRANGE', KEYS[2], 0, -1)}
"""
"""KEYS: task, turns. ARGV: 'head' or 'turns'."""

APPEND: Final = """
local state, turns = unpack(redis.call('HMGET', KEYS[1], 'state', 'turns'))
if ARGV[1] == '0' then
  if state then return 0 end
  redis.call('HSET', KEYS[1], 'state', 'live', 'tenant', ARGV[6], 'task', ARGV[7], 'key_id', ARGV[8],
             'wrapped', ARGV[9], 'created', ARGV[10])
elseif state ~= 'live' or turns ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'turns', ARGV[2], 'sequence', ARGV[3], 'deadline', ARGV[4])
redis.call('RPUSH', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[4], ARGV[4] == '' and '+inf' or ARGV[4], ARGV[11])
for i = 5, #KEYS do
  redis.call('SADD', KEYS[i], ARGV[11])
  redis.call('SADD', KEYS[3], KEYS[i])
end
return 1
"""
"""KEYS: task, turns, its anchors, live tasks, then each anchor. ARGV: turns so far, turns and sequence from now on,
deadline, the packed turn, tenant, task, key_id, wrapped, created, name."""

FINISH: Final = """
local head = redis.call('HMGET', KEYS[1], 'state', 'finished', 'turns', 'sequence', 'key_id', 'deadline')
if head[1] ~= 'live' then return {head[1] or '', head[2] or ''} end
if ARGV[3] ~= '' and (head[6] == '' or tonumber(head[6]) > tonumber(ARGV[3])) then return {'live', ''} end
redis.call('HDEL', KEYS[1], 'wrapped', 'deadline')
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'finished', ARGV[2])
for _, anchor in ipairs(redis.call('SMEMBERS', KEYS[3])) do redis.call('SREM', anchor, ARGV[4]) end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('ZREM', KEYS[4], ARGV[4])
redis.call('SADD', KEYS[5], ARGV[4])
return {'ended', '', head[3], head[4], head[5]}
"""
"""KEYS: task, turns, its anchors, live tasks, ended tasks. ARGV: state, now, due by or '', name."""

LIVE: Final = """
local found = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do
  local head = redis.call('HMGET', ARGV[1] .. name, 'state', 'finished', 'tenant', 'task', 'key_id', 'wrapped',
                          'turns', 'sequence', 'created', 'deadline')
  if head[1] == 'live' then found[#found + 1] = head end
end
return found
"""
"""KEYS: live tasks. ARGV: what task keys begin with, the latest deadline."""

REWRAP: Final = """
local state, key_id = unpack(redis.call('HMGET', KEYS[1], 'state', 'key_id'))
if state ~= 'live' or key_id ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'key_id', ARGV[2], 'wrapped', ARGV[3])
return 1
"""
"""KEYS: task. ARGV: key_id so far, key_id and wrapped from now on."""

FIND: Final = """
local found = {}
for i, anchor in ipairs(KEYS) do
  for _, name in ipairs(redis.call('SMEMBERS', anchor)) do
    local head = redis.call('HMGET', ARGV[1] .. name, 'state', 'created', 'task')
    if head[1] == 'live' then found[#found + 1] = {head[2], head[3]} end
  end
end
return found
"""
"""KEYS: anchors. ARGV: what task keys begin with."""
