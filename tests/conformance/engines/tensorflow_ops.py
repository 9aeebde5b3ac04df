"""TensorFlow: tf.reverse_sequence, its gradient, and tf.reverse."""

import os

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

import arrays
import tensorflow as tf


def version():
    return tf.__version__


def answer(case):
    data = tf.constant(arrays.data(case))
    if "mode" in case["attributes"]:
        return arrays.binary(case, tf.reverse(data, arrays.flips(case)).numpy())
    batch, time = arrays.axes(case)
    lens = tf.constant(arrays.control(case))
    if "factor" not in case:
        return arrays.binary(case, tf.reverse_sequence(data, lens, time, batch).numpy())
    with tf.GradientTape() as tape:
        leaf = tf.zeros_like(data)
        tape.watch(leaf)
        result = tf.reverse_sequence(leaf, lens, time, batch) * case["factor"]
    return arrays.binary(case, tape.gradient(result, leaf, data).numpy())
