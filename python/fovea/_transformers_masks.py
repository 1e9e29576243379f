"""Masks of transformers as rules of fovea: a value of O(n) instead of an array of N x M."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from transformers import masking_utils

from . import _fovea


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    names = function.__code__.co_freevars
    return dict(zip(names, (cell.cell_contents for cell in function.__closure__ or ())))


def rule_of(function: Callable[..., Any]) -> Optional[_fovea.Mask]:
    """The rule of a mask function of transformers that depends on positions alone; None if it is another."""
    if function is masking_utils.causal_mask_function:
        return _fovea.Mask.causal()
    if function is masking_utils.bidirectional_mask_function:
        return _fovea.Mask.none()
    name = getattr(function, "__qualname__", "")
    if getattr(function, "__module__", "") != masking_utils.__name__:
        return None
    held = _closure(function)
    far = 2**40  # further than any key
    if name == "sliding_window_overlay.<locals>.inner_mask":
        return _fovea.Mask.window(int(held["sliding_window"]) - 1, far)
    if name == "sliding_window_bidirectional_overlay.<locals>.inner_mask":
        return _fovea.Mask.window(int(held["sliding_window"]))
    if name in ("and_masks.<locals>.and_mask", "or_masks.<locals>.or_mask"):
        result: Optional[_fovea.Mask] = None
        for each in held["mask_functions"]:
            rule = rule_of(each)
            if rule is None:
                return None
            if result is None:
                result = rule
            else:
                result = result & rule if name.startswith("and") else result | rule
        return result
    return None


class RuleMask(torch.Tensor):
    """A mask [B, 1, N, M] of which only the rule is there. Whatever is computed with it sees its truth values."""

    rule: Any
    real_keys: Any  # [B, M] truth values: padding; None without
    positions: Any
    make: Callable[[], torch.Tensor]

    @staticmethod
    def of(rule: Any, real: Any, shape: tuple[int, ...], make: Callable[[], torch.Tensor]) -> RuleMask:
        mask = torch.zeros((), dtype=torch.bool).expand(shape).as_subclass(RuleMask)
        mask.positions = rule
        mask.real_keys = real
        mask.rule = rule if real is None else rule & _fovea.Mask.padding(real)
        mask.make = make
        return mask

    def dense(self) -> torch.Tensor:
        return self.make()

    def moved(self, keys: int) -> Any:
        """The rule for as many further keys in front, which it hides or not."""
        if self.real_keys is None:
            return self.positions
        return self.positions & _fovea.Mask.padding(torch.nn.functional.pad(self.real_keys, (keys, 0), value=True))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__", "size", "dim", "as_subclass", "is_floating_point", "numel", "__len__"):
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

        def plain(value: Any) -> Any:
            if isinstance(value, RuleMask):
                return value.make()
            if isinstance(value, (list, tuple)):
                return type(value)(plain(each) for each in value)
            return value

        return func(*(plain(each) for each in args), **{key: plain(each) for key, each in (kwargs or {}).items()})


def mask_interface(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int = 0,
    kv_offset: int = 0,
    mask_function: Callable[..., Any] = masking_utils.causal_mask_function,
    attention_mask: Optional[torch.Tensor] = None,
    **kwargs: Any,
) -> Optional[torch.Tensor]:
    """What transformers asks for a mask."""

    def dense() -> Any:
        options = {**kwargs, "allow_is_causal_skip": False}
        return masking_utils.sdpa_mask(
            batch_size=batch_size, q_length=q_length, kv_length=kv_length, q_offset=q_offset, kv_offset=kv_offset,
            mask_function=mask_function, attention_mask=attention_mask, **options,
        )

    rule = rule_of(mask_function)
    # Our positions: the last query stands at the last key.
    if rule is None or (not rule.is_none and int(q_offset) - int(kv_offset) != kv_length - q_length):
        return dense()
    real = None
    padding = masking_utils.prepare_padding_mask(attention_mask, kv_length, kv_offset)
    if padding is not None:
        part = padding[:, kv_offset : kv_offset + kv_length].bool()
        real = None if bool(part.all()) else part
    if rule.is_none and real is None:
        return None if kwargs.get("allow_is_bidirectional_skip", False) else dense()
    return RuleMask.of(rule, real, (batch_size, 1, q_length, kv_length), dense)
