"""grpcio as a server that takes a message of any size and answers with none.

Usage: service.py PORT
"""

import sys
from concurrent import futures

import grpc


class Taker(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: b"")


server = grpc.server(futures.ThreadPoolExecutor(1),
                     options=[("grpc.max_receive_message_length", -1)])
server.add_generic_rpc_handlers((Taker(),))
server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
server.start()
server.wait_for_termination()
